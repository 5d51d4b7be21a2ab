import { slotsDueCount } from '@probe-mesh/contracts/reading/slots'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { beforeEach, describe, expect, test } from 'vitest'
import { assignmentOf } from './assignment-of.ts'
import { useTestApp, type TestAccount } from '../app/testing/test-app.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { refreshAllRegions } from '../records/check/many-checks-store.ts'
import { createTypedCheck } from './create-check.ts'
import {
  aStep,
  accepted,
  typedChecks,
  typedCheckTypes,
  writingContext,
} from '../app/testing/operation-context.ts'

let account: TestAccount
let context: ReturnType<typeof writingContext>
const at = useTestApp({ config: { budgetScale: 1_000 } })
beforeEach(async () => {
  account = await at.account('scale')
  context = writingContext(at.sql)
})

const create = (body: unknown) =>
  createTypedCheck(context, { accountId: account.id, actor: { kind: 'operator' } }, body)
const stored = (id: string) => findCheck(at.sql, account.id, id)
const list = async () => (await at.call('GET', '/v1/checks', { key: account.readKey })).json.checks

describe.each(typedCheckTypes)('a %s check', (type) => {
  const { body, described } = typedChecks[type]
  const isProbed = type !== 'heartbeat'

  test('is saved with its config and first revision, and returned by both reads', async () => {
    const check = accepted(await create(body))
    expect(check).toMatchObject({ type, name: body.name, ...described, status: 'unknown' })
    expect(check).toMatchObject({
      regions: isProbed ? ['iad', 'sjc', 'fra', 'nrt'] : [],
      allRegions: isProbed,
      paused: false,
    })
    expect(await list()).toEqual([check])
    const { json } = await at.call('GET', `/v1/checks/${check.id}`, { key: account.readKey })
    expect(json).toMatchObject({ ...check, regionStatuses: expect.any(Array) })
    const record = await stored(check.id)
    expect(record?.config).toMatchObject(
      'steps' in body ? { type, steps: body.steps } : { type, settings: body.settings },
    )
    const revisions = await findRevisions(at.sql, check.id, 0, context.clock.nowMs + 1)
    expect(revisions).toMatchObject([{ validToMs: null, regions: check.regions, paused: false }])
    expect(context.started.map(({ id }) => id)).toEqual([check.id])
  })

  test('is assigned to each of its regions, and to none while paused', async () => {
    const { id } = accepted(await create(body))
    const paused = accepted(await create({ ...body, paused: true }))
    const record = await stored(id)
    const pausedRecord = await stored(paused.id)
    if (record === null || pausedRecord === null) throw new Error('not stored')
    const assigned = isProbed ? { ...record.config, checkId: id, region: 'fra', revision: 1 } : null
    if (assigned === null) expect(assignmentOf(record, 'fra')).toBeNull()
    else expect(assignmentOf(record, 'fra')).toMatchObject(assigned)
    expect(assignmentOf(pausedRecord, 'fra')).toBeNull()
  })
})

describe('intervals', () => {
  test.each([
    ['scale', 'tcp', 10],
    ['scale', 'multistep', 60],
    ['scale', 'browser', 60],
    ['growth', 'dns', 60],
    ['free', 'multistep', 300],
  ] as const)('on %s a %s check is every %i s when nothing is said', async (tier, type, seconds) => {
    account = await at.account(tier)
    expect(accepted(await create(typedChecks[type].body)).intervalSeconds).toBe(seconds)
  })

  test('one below the tier is SV-4002, one below the type SV-2001; at the minimum it is saved', async () => {
    account = await at.account('growth')
    const tooFast = await create({ ...typedChecks.tcp.body, intervalSeconds: 59 })
    expect(tooFast).toMatchObject({ refused: 'SV-4002', errors: [{ path: 'intervalSeconds' }] })
    const journey = await create({ ...typedChecks.multistep.body, intervalSeconds: 59 })
    expect(journey).toMatchObject({ refused: 'SV-2001', errors: [{ path: 'intervalSeconds' }] })
    accepted(await create({ ...typedChecks.multistep.body, intervalSeconds: 60 }))
    expect(await list()).toHaveLength(1)
  })

  test('a heartbeat has the interval of its period on any plan, and a minute with cron', async () => {
    account = await at.account('free')
    const every = { type: 'heartbeat', name: 'a', settings: { periodSeconds: 10, graceSeconds: 1 } }
    expect(accepted(await create(every)).intervalSeconds).toBe(10)
    const cron = { ...every, settings: { cron: '0 3 * * *', graceSeconds: 1 } }
    expect(accepted(await create(cron)).intervalSeconds).toBe(60)
  })
})

test('a new heartbeat can receive pings at once', async () => {
  const { id } = accepted(await create(typedChecks.heartbeat.body))
  const rows = await at.sql`select ping_key from heartbeats where check_id = ${id}`
  expect(rows).toEqual([{ ping_key: expect.any(String) }])
})

test('a heartbeat has no slots, even after the live regions change', async () => {
  const { id } = accepted(await create(typedChecks.heartbeat.body))
  const { nowMs } = context.clock
  await refreshAllRegions(at.sql, ['fra', 'lhr'], nowMs + 1_000)
  const revisions = await findRevisions(at.sql, id, 0, nowMs + 86_400_000)
  expect(revisions).toHaveLength(1)
  for (const region of ['iad', 'sjc', 'fra', 'nrt', 'lhr']) {
    expect(slotsDueCount(id, region, revisions, nowMs, nowMs + 86_400_000)).toBe(0)
  }
  // every other test has the four regions
  await refreshAllRegions(at.sql, context.rules.regions, nowMs + 2_000)
})

describe('a refused create saves nothing', () => {
  const journey = (...urls: string[]) => ({
    ...typedChecks.multistep.body,
    steps: urls.map((url) => ({ ...aStep, url })),
  })
  const of = (type: 'tcp' | 'dns' | 'smtp' | 'browser', settings: object) => ({
    ...typedChecks[type].body,
    settings: { ...typedChecks[type].body.settings, ...settings },
  })

  test.each<[string, object, string[], string]>([
    ['tcp to a private address', of('tcp', { host: '10.1.2.3' }), ['settings.host'], 'address'],
    ['tcp to an inner name', of('tcp', { host: 'db.internal' }), ['settings.host'], 'host_internal'],
    [
      'tcp with text to a port of another protocol',
      of('tcp', { port: 25, send: 'HELO' }),
      ['settings.port'],
      'url_port',
    ],
    ['smtp to a private address', of('smtp', { host: '192.168.7.7' }), ['settings.host'], 'address'],
    ['smtp to a port of no mail', of('smtp', { port: 6379 }), ['settings.port'], 'url_port'],
    ['dns of an inner name', of('dns', { name: 'a.internal' }), ['settings.name'], 'dns_internal_name'],
    ['dns from a private resolver', of('dns', { resolver: '10.0.0.53' }), ['settings.resolver'], 'address'],
    ['a page on metadata', of('browser', { url: 'http://169.254.169.254/' }), ['settings.url'], 'address'],
    [
      'a page with credentials',
      of('browser', { url: 'https://a:b@example.org/' }),
      ['settings.url'],
      'url_credentials',
    ],
    [
      'a journey with two unsafe steps',
      journey('https://example.org/', 'http://10.9.9.9/', 'http://[::ffff:10.8.8.8]/', 'http://127.0.0.1:9/'),
      ['steps[1].url', 'steps[2].url'],
      'address',
    ],
  ])('%s is SV-5001 and says which rule', async (_, body, paths, rule) => {
    const refused = await create(body)
    expect(refused).toMatchObject({ refused: 'SV-5001', errors: paths.map((path) => ({ path })) })
    expect(refused).toHaveProperty('message', expect.stringContaining(`(${rule})`))
    expect(JSON.stringify(refused)).not.toMatch(/\d+\.\d+\.\d+\.\d+|::/)
    expect(await list()).toEqual([])
  })

  test.each<[string, object, string, string]>([
    [
      'a region that is not live',
      { ...typedChecks.tcp.body, regions: ['fra', 'lhr'] },
      'SV-2001',
      'regions[1]',
    ],
    [
      'a value that no record has',
      of('dns', { expect: { op: 'equals', values: ['soon'] } }),
      'SV-2001',
      'settings.expect',
    ],
    ['a heartbeat that is never due', heartbeatOf({ cron: '0 0 30 2 *' }), 'SV-2001', 'settings.cron'],
    ['a heartbeat without a time', heartbeatOf({}), 'SV-2001', 'settings.periodSeconds'],
    [
      'a zone that is none',
      heartbeatOf({ cron: '0 3 * * *', timeZone: 'Mars/Base' }),
      'SV-2001',
      'settings.timeZone',
    ],
    [
      'eleven steps',
      { ...typedChecks.multistep.body, steps: Array.from({ length: 11 }, () => aStep) },
      'SV-2003',
      'steps',
    ],
    [
      'a wildcard',
      journeyWith({ jsonPath: 'a.b[*]', jsonOp: 'exists' }),
      'SV-2002',
      'steps[0].assertions.jsonPath',
    ],
    ['an unknown type', { type: 'ping', name: 'web', url: 'https://example.org/' }, 'SV-2001', 'type'],
  ])('%s', async (_, body, code, path) => {
    expect(await create(body)).toMatchObject({ refused: code, errors: [{ path }] })
    expect(await list()).toEqual([])
    expect(context.started).toEqual([])
  })

  test('ten steps are saved, in their order', async () => {
    const steps = Array.from({ length: 10 }, (_, index) => ({ ...aStep, name: `step ${index}` }))
    const { id } = accepted(await create({ ...typedChecks.multistep.body, steps }))
    const config = (await stored(id))?.config
    expect(config?.type === 'multistep' && config.steps.map(({ name }) => name)).toEqual(
      steps.map(({ name }) => name),
    )
  })

  test('all types count against one limit, also under concurrent creates', async () => {
    const tiers = { ...tiersDefault, scale: { ...tiersDefault.scale, monitors: 3 } }
    context = writingContext(at.sql, { tiers })
    const results = await Promise.all(typedCheckTypes.map((type) => create(typedChecks[type].body)))
    const refused = results.filter((result) => 'refused' in result)
    expect(refused.map(({ refused }) => refused)).toEqual(Array(typedCheckTypes.length - 3).fill('SV-4001'))
    expect(await list()).toHaveLength(3)
  })
})

function heartbeatOf(settings: object) {
  return { ...typedChecks.heartbeat.body, settings: { graceSeconds: 60, ...settings } }
}

function journeyWith(assertions: object) {
  return { ...typedChecks.multistep.body, steps: [{ ...aStep, assertions }] }
}
