import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp } from '../app/testing/test-app.ts'
import { updateAccountTier } from '../accounts/manage-accounts.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { laterMigrations } from '../stores/postgres/migrate.ts'
import { createTypedCheck } from './create-check.ts'
import { editTypedCheck, replaceSteps } from './edit-typed-check.ts'
import {
  aStep,
  accepted,
  typedChecks,
  typedCheckTypes,
  writingContext,
} from '../app/testing/operation-context.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const other = useOnce(() => at.account('scale'))
const account = useEach(() => at.account('scale'))
const context = useEach(() => writingContext(at.sql))

const create = async (type: keyof typeof typedChecks, more: object = {}) =>
  accepted(
    await createTypedCheck(
      context,
      { accountId: account.id, actor: { kind: 'operator' } },
      { ...typedChecks[type].body, ...more },
    ),
  )
const edit = (checkId: string, body: unknown, accountId = account.id) =>
  editTypedCheck(context, { accountId, actor: { kind: 'operator' } }, { checkId, body })
const replace = (checkId: string, steps: unknown, accountId = account.id) =>
  replaceSteps(context, { accountId, actor: { kind: 'operator' } }, { checkId, body: { steps } })
const stored = (id: string) => findCheck(at.sql, account.id, id)
const revisionsOf = (id: string) => findRevisions(at.sql, id, 0, context.clock.nowMs + 1)

describe('an edit', () => {
  test.each([
    ['tcp', { settings: { host: '[2606:4700::1111]', port: 853 } }, { target: '[2606:4700::1111]:853' }],
    [
      'dns',
      { settings: { name: 'example.net', recordType: 'A', resolver: '9.9.9.9' } },
      { target: 'example.net A @9.9.9.9' },
    ],
    ['smtp', { settings: { host: 'mx.example.net' } }, { target: 'mx.example.net:25' }],
    ['browser', { settings: { url: 'https://example.net/' } }, { url: null, target: 'https://example.net/' }],
    ['multistep', { name: 'sign in' }, { name: 'sign in', url: 'https://example.org/' }],
    ['heartbeat', { settings: { periodSeconds: 60, graceSeconds: 5 } }, { intervalSeconds: 60, regions: [] }],
  ] as const)('of a %s check replaces what it names and keeps the rest', async (type, body, shown) => {
    const before = await create(type)
    context.clock.nowMs += 5_000
    const after = accepted(await edit(before.id, body))
    expect(after).toEqual({
      ...before,
      ...shown,
      updatedAt: new Date(context.now()).toISOString(),
    })
    if ('settings' in body) expect((await stored(before.id))?.config).toMatchObject(body)
    expect(await revisionsOf(before.id)).toMatchObject([
      { validToMs: context.clock.nowMs },
      { validFromMs: context.clock.nowMs, validToMs: null },
    ])
    expect(context.dropped).toEqual([before.id])
    const { json } = await at.call('GET', `/v1/checks/${before.id}`, { key: account.readKey })
    expect(json).toMatchObject(after)
  })

  test.each(typedCheckTypes)('of a %s check that changes nothing makes no revision', async (type) => {
    const before = await create(type)
    context.clock.nowMs += 5_000
    const { body } = typedChecks[type]
    const same = 'settings' in body ? { settings: body.settings } : {}
    expect(await edit(before.id, {})).toEqual(before)
    expect(await edit(before.id, { name: body.name, paused: false, ...same })).toEqual(before)
    expect(await revisionsOf(before.id)).toHaveLength(1)
  })

  test('of the interval keeps former slots due and applies to later ones', async () => {
    const { id } = await create('tcp', { intervalSeconds: 10 })
    const createdMs = context.clock.nowMs
    context.clock.nowMs += 600_000
    expect(accepted(await edit(id, { intervalSeconds: 300 }))).toMatchObject({
      intervalSeconds: 300,
    })
    const revisions = await revisionsOf(id)
    const due = (fromMs: number, toMs: number) => slotsDueCount(id, 'fra', revisions, fromMs, toMs)
    expect(due(createdMs, createdMs + 600_000)).toBe(60)
    expect(due(createdMs + 600_000, createdMs + 1_200_000)).toBe(2)
  })

  test('pauses and resumes; no slot is due in between', async () => {
    const { id } = await create('smtp')
    context.clock.nowMs += 60_000
    expect(accepted(await edit(id, { paused: true })).paused).toBe(true)
    context.clock.nowMs += 60_000
    expect(accepted(await edit(id, { paused: false })).paused).toBe(false)
    expect((await revisionsOf(id)).map(({ paused }) => paused)).toEqual([false, true, false])
  })

  test('of the regions to all that are live makes allRegions true', async () => {
    const { id } = await create('dns', { regions: ['fra'] })
    const all = accepted(await edit(id, { regions: ['nrt', 'fra', 'sjc', 'iad'] }))
    expect(all).toMatchObject({ allRegions: true, regions: ['iad', 'sjc', 'fra', 'nrt'] })
  })

  test('an unchanged interval is allowed after a downgrade', async () => {
    const { id } = await create('tcp', { intervalSeconds: 10 })
    await updateAccountTier(at.sql, account.id, 'growth', Date.now())
    accepted(await edit(id, { name: 'renamed', intervalSeconds: 10 }))
    expect(await edit(id, { intervalSeconds: 11 })).toMatchObject({ refused: 'SV-4002' })
  })

  test('of its timeout keeps the settings, and of the settings the timeout', async () => {
    const { id } = await create('tcp', { intervalSeconds: 10, timeoutSeconds: 9 })
    expect(accepted(await edit(id, { timeoutSeconds: 2 }))).toMatchObject({ timeoutSeconds: 2 })
    accepted(await edit(id, { settings: { host: 'other.example.org', port: 81 } }))
    expect((await stored(id))?.config).toMatchObject({
      timeoutSeconds: 2,
      settings: { host: 'other.example.org', port: 81 },
    })
    accepted(await edit(id, { timeoutSeconds: null }))
    expect((await stored(id))?.config).not.toHaveProperty('timeoutSeconds')
  })

  test('of the steps of a journey replaces them, and keeps whether its region is sent', async () => {
    const { id } = await create('multistep', { sendRegion: true })
    const steps = [{ ...aStep, name: 'other', url: 'https://example.net/' }]
    expect(accepted(await edit(id, { name: 'a', steps }))).toMatchObject({
      name: 'a',
      url: 'https://example.net/',
    })
    expect((await stored(id))?.config).toMatchObject({ sendRegion: true, steps: [{ name: 'other' }] })
    accepted(await edit(id, { sendRegion: false }))
    expect((await stored(id))?.config).not.toHaveProperty('sendRegion')
    expect((await stored(id))?.config).toMatchObject({ steps: [{ name: 'other' }] })
  })

  test('of its host, and of nothing else, resets its domain', async () => {
    const { id } = await create('tcp')
    await at.sql`insert into check_domains (check_id, name) values (${id}, 'example.org')`
    const known = async () => (await at.sql`select from check_domains where check_id = ${id}`).length
    accepted(await edit(id, { timeoutSeconds: 2 }))
    expect(await known()).toBe(1)
    accepted(await edit(id, { settings: { host: 'db.example.net', port: 81 } }))
    expect(await known()).toBe(0)
  })

  test('of the interval does not leave a timeout without room', async () => {
    const { id } = await create('tcp', { intervalSeconds: 30, timeoutSeconds: 20 })
    expect(await edit(id, { intervalSeconds: 20 })).toMatchObject({
      refused: 'SV-2001',
      errors: [{ path: 'timeoutSeconds' }],
    })
    accepted(await edit(id, { intervalSeconds: 20, timeoutSeconds: 18 }))
  })

  test.each([
    ['tcp', { colour: 1 }, 'SV-2001', 'colour'],
    ['tcp', { settings: { host: '10.0.0.1', port: 80 } }, 'SV-5001', 'settings.host'],
    ['dns', { regions: ['lhr'] }, 'SV-2001', 'regions[0]'],
    ['smtp', { intervalSeconds: 9 }, 'SV-4002', 'intervalSeconds'],
    ['browser', { intervalSeconds: 30 }, 'SV-2001', 'intervalSeconds'],
    ['multistep', { steps: [] }, 'SV-2001', 'steps'],
    ['multistep', { steps: [{ ...aStep, url: 'http://10.0.0.1/' }] }, 'SV-5001', 'steps[0].url'],
    ['heartbeat', { regions: ['fra'] }, 'SV-2001', 'regions'],
  ] as const)('of a %s check with %j changes nothing', async (type, body, code, path) => {
    const before = await create(type)
    expect(await edit(before.id, body)).toMatchObject({ refused: code, errors: [{ path }] })
    expect((await stored(before.id))?.revision).toBe(1)
    expect(context.dropped).toEqual([])
  })
})

describe('the steps of a journey', () => {
  const named = (...names: string[]) => names.map((name) => ({ ...aStep, name }))
  const namesOf = async (id: string) => {
    const config = (await stored(id))?.config
    return config?.type === 'multistep' ? config.steps.map(({ name }) => name) : null
  }

  test('"replaces the whole ordered list at once": one revision, and the URL of the new first', async () => {
    const { id } = await create('multistep')
    const steps = [{ ...aStep, name: 'b', url: 'https://b.example.org/' }, ...named('a')]
    expect(accepted(await replace(id, steps))).toMatchObject({ url: 'https://b.example.org/' })
    expect(await namesOf(id)).toEqual(['b', 'a'])
    expect(await revisionsOf(id)).toHaveLength(2)
    expect((await stored(id))?.revision).toBe(2)
  })

  test('replacing with an equal list makes no revision; another order of steps does', async () => {
    const { id } = await create('multistep', { steps: named('a', 'b') })
    const shuffled = named('a', 'b').map(({ name, method, url }) => ({
      url,
      body: null,
      method,
      name,
    }))
    accepted(await replace(id, shuffled))
    expect((await stored(id))?.revision).toBe(1)
    accepted(await replace(id, named('b', 'a')))
    expect((await stored(id))?.revision).toBe(2)
  })

  test('concurrent replacements are never mixed', async () => {
    const { id } = await create('multistep')
    const lists = ['a', 'b', 'c', 'd'].map((letter) => named(letter, letter, letter))
    for (const result of await Promise.all(lists.map((steps) => replace(id, steps)))) accepted(result)
    expect(new Set(await namesOf(id)).size).toBe(1)
    expect((await stored(id))?.revision).toBe(5)
  })

  test.each<[string, unknown, string, string]>([
    ['eleven', named(...'abcdefghijk'), 'SV-2003', 'steps'],
    ['none', [], 'SV-2001', 'steps'],
    ['not a list', { 0: aStep }, 'SV-2001', 'steps'],
    [
      'a filter in the last',
      [...named('a'), { ...aStep, assertions: { jsonPath: 'a[?(@.b)]', jsonOp: 'exists' } }],
      'SV-2002',
      'steps[1].assertions.jsonPath',
    ],
    ['an unsafe last', [...named('a'), { ...aStep, url: 'http://10.0.0.1/' }], 'SV-5001', 'steps[1].url'],
  ])('%s: the list that was there stays whole', async (_, steps, code, path) => {
    const { id } = await create('multistep', { steps: named('a', 'b', 'c') })
    expect(await replace(id, steps)).toMatchObject({ refused: code, errors: [{ path }] })
    expect(await namesOf(id)).toEqual(['a', 'b', 'c'])
    expect((await stored(id))?.revision).toBe(1)
  })

  test('exist on journeys only', async () => {
    const { id } = await create('tcp')
    expect(await replace(id, [aStep])).toMatchObject({ refused: 'SV-2001' })
    expect((await stored(id))?.config.type).toBe('tcp')
  })
})

test('a check of another account is not found', async () => {
  const { id } = await create('multistep')
  const missing = uuidv7(Date.now())
  for (const refused of [
    await edit(id, { name: 'mine' }, other.id),
    await edit(missing, { name: 'mine' }),
    await replace(id, [aStep], other.id),
    await replace(missing, [aStep]),
  ]) {
    expect(refused).toMatchObject({ refused: 'SV-3001' })
  }
  expect(await stored(id)).toMatchObject({ name: 'login', revision: 1 })
})

describe('a check that a newer version wrote', () => {
  const newer = async (type: 'http' | 'tcp', config: object) => {
    const { id } = await create('tcp')
    await at.sql`update checks set type = ${type}, config = ${at.sql.json({ ...config })} where id = ${id}`
    return id
  }

  test.each([
    ['a type', { type: 'tcp', settings: { host: 'example.org', port: 80, quic: true } }],
    ['a config of another type', { type: 'dns', settings: { name: 'example.org', recordType: 'A' } }],
    ['nothing', {}],
  ])('with %s that is not understood costs its neighbours nothing', async (_, config) => {
    const id = await newer('tcp', config)
    context.clock.nowMs += 1_000
    const neighbour = await create('dns')
    const { json } = await at.call('GET', '/v1/checks', { key: account.readKey })
    expect(json.checks.map((check: { id: string }) => check.id)).toEqual([id, neighbour.id])
    expect(json.checks[0]).toMatchObject({ type: 'tcp', target: 'db.example.org:5432' })
    const one = await at.call('GET', `/v1/checks/${id}`, { key: account.readKey })
    expect(one.status).toBe(200)
  })

  test('cannot be changed, also over REST, but can be deleted', async () => {
    const id = await newer('http', { type: 'http', method: 'HEAD' })
    const strange = await newer('tcp', { type: 'tcp', settings: {} })
    expect(await edit(strange, { name: 'other' })).toMatchObject({ refused: 'SV-3002' })
    await at.sql`update checks set config = '{"type": "quic"}' where id = ${id}`
    const key = account.writeKey
    const patched = await at.call('PATCH', `/v1/checks/${id}`, { key, body: { regions: ['fra'] } })
    expect(patched).toMatchObject({ status: 409, json: { code: 'SV-3002' } })
    const [row] = await at.sql`select config from checks where id = ${id}`
    expect(row?.['config']).toEqual({ type: 'quic' })
    expect(await at.call('DELETE', `/v1/checks/${id}`, { key })).toMatchObject({ status: 200 })
  })
})

test('the migration gives browser checks of earlier versions their address', async () => {
  const [page, tcp] = [await create('browser'), await create('tcp')]
  await at.sql`update checks set target = null where id = ${page.id}`
  const migration = (await laterMigrations()).find(({ name }) => name === '0153-browser-targets.sql')
  await at.sql.unsafe(migration?.text ?? '')
  const settings = (await stored(page.id))?.config
  expect((await stored(page.id))?.target).toBe(settings?.type === 'browser' ? settings.settings.url : '')
  expect((await stored(tcp.id))?.target).toBe(tcp.target)
})
