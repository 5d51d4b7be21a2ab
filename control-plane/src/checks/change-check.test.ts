import { useEach, useOnce } from '@probe-mesh/infra/testing/use'
import { describe, expect, test } from 'vitest'
import { useTestApp, type TestAccount } from '../app/testing/test-app.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import {
  aStep,
  accepted,
  typedChecks,
  typedCheckTypes,
  writingContext,
} from '../app/testing/operation-context.ts'
import { cloneCheck } from './clone-check.ts'
import { createTypedCheck } from './create-check.ts'
import { editTypedCheck } from './edit-typed-check.ts'

const at = useTestApp({ config: { budgetScale: 1_000 } })
const other = useOnce(() => at.account('scale'))
const account = useEach(() => at.account('scale'))
const context = useEach(() => writingContext(at.sql))

const writerOf = ({ id: accountId }: TestAccount) => ({ accountId, actor: { kind: 'operator' as const } })
const http = async (more: object = {}) => {
  const body = { name: 'web', url: 'https://example.org/', intervalSeconds: 60, ...more }
  return (await at.call('POST', '/v1/checks', { key: account.writeKey, body })).json
}
const edit = (checkId: string, body: unknown) => editTypedCheck(context, writerOf(account), { checkId, body })
const stored = (id: string) => findCheck(at.sql, account.id, id)
const revisionsOf = (id: string) => findRevisions(at.sql, id, 0, Date.now() + 3_600_000)
describe('an edit of an http check', () => {
  test('changes name, URL, interval, regions, tags and assertions, and keeps the id and the history', async () => {
    const before = await http({ assertionStatusMin: 200, assertionStatusMax: 204 })
    context.clock.nowMs += 5_000
    const after = accepted(
      await edit(before.id, {
        name: 'shop',
        url: 'https://example.net/health',
        intervalSeconds: 120,
        regions: ['fra', 'nrt'],
        tags: ['Shop'],
        assertions: { assertionBodyOp: 'contains', assertionBodyValue: 'ok' },
      }),
    )
    expect(after).toMatchObject({
      id: before.id,
      createdAt: before.createdAt,
      name: 'shop',
      url: 'https://example.net/health',
      intervalSeconds: 120,
      regions: ['fra', 'nrt'],
      allRegions: false,
      tags: ['Shop'],
      assertionStatusMin: null,
      assertionBodyValue: 'ok',
    })
    expect(await revisionsOf(before.id)).toHaveLength(2)
  })

  test.each<[string, object, string, string]>([
    ['an unsafe URL', { url: 'http://169.254.169.254/' }, 'SV-5001', 'url'],
    ['credentials in the URL', { url: 'https://a:b@example.org/' }, 'SV-5001', 'url'],
    ['an interval above a day', { intervalSeconds: 86_401 }, 'SV-2001', 'intervalSeconds'],
    ['an interval below the plan', { intervalSeconds: 9 }, 'SV-4002', 'intervalSeconds'],
    ['a region that is not live', { regions: ['xxx'] }, 'SV-2001', 'regions[0]'],
    [
      'a regular expression',
      { assertions: { assertionJsonPath: '$..a', assertionJsonOp: 'exists' } },
      'SV-2002',
      'assertions.assertionJsonPath',
    ],
    ['a timeout that does not fit', { intervalSeconds: 10, timeoutSeconds: 30 }, 'SV-2001', 'timeoutSeconds'],
    ['an unknown field', { method: 'POST' }, 'SV-2001', 'method'],
  ])('refuses %s and changes nothing', async (_, body, code, path) => {
    const before = await stored((await http()).id)
    const refusal = await edit(before?.id ?? '', { name: 'other', ...body })
    expect(refusal).toMatchObject({ refused: code, errors: [expect.objectContaining({ path })] })
    expect(await stored(before?.id ?? '')).toEqual(before)
  })
})

describe('tags', () => {
  test('come with a creation and a PATCH, and are an empty list where there are none', async () => {
    expect((await http()).tags).toEqual([])
    const check = await http({ tags: ['Shop', 'prod'] })
    expect(check.tags).toEqual(['Shop', 'prod'])
    const patch = (body: object) =>
      at.call('PATCH', `/v1/checks/${check.id}`, { key: account.writeKey, body })
    expect((await patch({ tags: ['x'] })).json.tags).toEqual(['x'])
    expect((await patch({ tags: [] })).json.tags).toEqual([])
    expect((await patch({ tags: ['x', 'X'] })).status).toBe(422)
  })

  test('change without a revision, so that no agent starts anew', async () => {
    const { id } = await http()
    accepted(await edit(id, { tags: ['shop'] }))
    expect((await stored(id))?.tags).toEqual(['shop'])
    expect(await revisionsOf(id)).toHaveLength(1)
  })
})

describe('a pause by PATCH', () => {
  const patch = (id: string, paused: boolean) =>
    at.call('PATCH', `/v1/checks/${id}`, { key: account.writeKey, body: { paused } })

  test('is accepted for an http check', async () => {
    const { id } = await http()
    expect((await patch(id, true)).json).toMatchObject({ paused: true })
    expect((await patch(id, false)).json).toMatchObject({ paused: false })
  })

  test.each(typedCheckTypes)('is refused for a %s check, which stays as it is', async (type) => {
    const { id } = accepted(await createTypedCheck(context, writerOf(account), typedChecks[type].body))
    expect(await patch(id, true)).toMatchObject({ status: 405, json: { code: 'SV-3005' } })
    expect((await stored(id))?.paused).toBe(false)
  })

  test('does not let a read key pause', async () => {
    const { id } = await http()
    const { status } = await at.call('PATCH', `/v1/checks/${id}`, {
      key: account.readKey,
      body: { paused: true },
    })
    expect(status).toBe(403)
  })
})

describe('a clone', () => {
  test.each(typedCheckTypes)(
    'of a %s check has its settings, another id and a name of its own',
    async (type) => {
      const writer = writerOf(account)
      const check = accepted(
        await createTypedCheck(context, writer, { ...typedChecks[type].body, tags: ['a'] }),
      )
      const copy = accepted(await cloneCheck(context, writer, { checkId: check.id }))
      const { id, name, createdAt, updatedAt, ...rest } = copy
      expect(check).toMatchObject(rest)
      expect(id).not.toBe(check.id)
      expect(name).toBe(`${check.name} copy`)
      const [first, second] = [await stored(check.id), await stored(id)]
      expect(second?.config).toEqual(first?.config)
      expect(createdAt).toBe(updatedAt)
    },
  )

  test('of a heartbeat has no slug, so that the original still takes its pings by slug', async () => {
    const { settings } = typedChecks.heartbeat.body
    const body = { ...typedChecks.heartbeat.body, settings: { ...settings, slug: 'nightly' } }
    const check = accepted(await createTypedCheck(context, writerOf(account), body))
    const copy = accepted(await cloneCheck(context, writerOf(account), { checkId: check.id }))
    expect((await stored(copy.id))?.config).toMatchObject({ settings: { ...settings, slug: null } })
    const { json } = await at.call('GET', `/v1/checks/${check.id}`, { key: account.writeKey })
    const { pathname } = new URL(json.heartbeat.slugUrl)
    expect(await at.call('GET', pathname)).toMatchObject({ status: 200, text: 'OK' })
  })

  test('of a paused check is not paused, and its name fits', async () => {
    const check = await http({ name: 'x'.repeat(200) })
    accepted(await edit(check.id, { paused: true }))
    const copy = accepted(await cloneCheck(context, writerOf(account), { checkId: check.id }))
    expect(copy.paused).toBe(false)
    expect(copy.name).toBe(`${'x'.repeat(195)} copy`)
  })

  test('counts against the plan, and is not found for another account', async () => {
    const small = await at.account('free')
    const writer = writerOf(small)
    const body = { ...typedChecks.heartbeat.body }
    const check = accepted(await createTypedCheck(context, writer, body))
    for (let n = 1; n < 10; n += 1) accepted(await cloneCheck(context, writer, { checkId: check.id }))
    expect(await cloneCheck(context, writer, { checkId: check.id })).toMatchObject({ refused: 'SV-4001' })
    expect(await cloneCheck(context, writerOf(other), { checkId: check.id })).toMatchObject({
      refused: 'SV-3001',
    })
  })
})

test('steps of a clone are those of the journey', async () => {
  const writer = writerOf(account)
  const body = { ...typedChecks.multistep.body, steps: [aStep, { ...aStep, name: 'pay' }] }
  const check = accepted(await createTypedCheck(context, writer, body))
  const copy = accepted(await cloneCheck(context, writer, { checkId: check.id }))
  expect((await stored(copy.id))?.config).toMatchObject({ steps: [{ name: 'home' }, { name: 'pay' }] })
})
