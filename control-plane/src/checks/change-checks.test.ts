import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { tagsPerCheckMax } from '@probe-mesh/contracts/check/tags'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestApp } from '../http/testing.ts'
import type { TestAccount, TestApp } from '../http/testing.ts'
import { createAlertRule } from '../alerts/alert-rules.ts'
import { changeChecks } from '../app/bulk-acts.ts'
import type { AppContext } from '../app/app-parts.ts'
import { findRevisions } from '../check-record/check-revisions-store.ts'
import { findCheck } from '../check-record/checks-store.ts'
import { aStep, accepted, typedChecks, typedCheckTypes, writingContext } from '../operations/testing.ts'
import { cloneCheck } from './clone-check.ts'
import { createTypedCheck } from './create-check.ts'
import { editTypedCheck } from './edit-typed-check.ts'

let at: TestApp
let account: TestAccount
let other: TestAccount
let context: ReturnType<typeof writingContext>
beforeAll(async () => {
  at = await startTestApp({ config: { budgetScale: 1_000 } })
  other = await at.account('scale')
})
beforeEach(async () => {
  account = await at.account('scale')
  context = writingContext(at.sql)
})
afterAll(() => at.close())

const writerOf = ({ id: accountId }: TestAccount) => ({ accountId, actor: { kind: 'operator' as const } })
const http = async (more: object = {}) => {
  const body = { name: 'web', url: 'https://example.org/', intervalSeconds: 60, ...more }
  return (await at.call('POST', '/v1/checks', { key: account.writeKey, body })).json
}
const edit = (checkId: string, body: unknown) => editTypedCheck(context, writerOf(account), { checkId, body })
const stored = (id: string) => findCheck(at.sql, account.id, id)
const revisionsOf = (id: string) => findRevisions(at.sql, id, 0, Date.now() + 3_600_000)
const bulk = (checkIds: string[], act: Parameters<typeof changeChecks>[2]['act'], of = account) =>
  changeChecks(
    { ...context, answers: { drop: () => {} }, uptimes: { drop: () => {} } } as unknown as AppContext,
    writerOf(of) as never,
    { checkIds, act },
  )

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

  test('are added and removed in whatever spelling, and no check has more than its limit', async () => {
    const { id } = await http({ tags: ['Shop'] })
    await bulk([id], { kind: 'add_tag', tag: 'shop' })
    expect((await stored(id))?.tags).toEqual(['Shop'])
    await bulk([id], { kind: 'remove_tag', tag: 'SHOP' })
    expect((await stored(id))?.tags).toEqual([])
    const full = await http({ tags: Array.from({ length: tagsPerCheckMax }, (_, n) => `t${n}`) })
    const result = await bulk([full.id, id], { kind: 'add_tag', tag: 'new' })
    expect(result).toMatchObject({ changed: [id], unchanged: [{ checkId: full.id, code: 'SV-2001' }] })
  })
})

describe('a pause by PATCH', () => {
  test.each(typedCheckTypes)('is accepted for a %s check', async (type) => {
    const check = accepted(await createTypedCheck(context, writerOf(account), typedChecks[type].body))
    const patch = (paused: boolean) =>
      at.call('PATCH', `/v1/checks/${check.id}`, { key: account.writeKey, body: { paused } })
    expect((await patch(true)).json).toMatchObject({ paused: true })
    expect((await patch(false)).json).toMatchObject({ paused: false })
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

  test('of a paused check is not paused, and its name fits', async () => {
    const check = await http({ name: 'x'.repeat(200) })
    await bulk([check.id], { kind: 'pause' })
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

describe('a bulk act', () => {
  const two = async () => [(await http()).id, (await http()).id] as [string, string]

  test('pauses and resumes each check, and does nothing twice', async () => {
    const ids = await two()
    for (const paused of [true, true, false]) {
      const result = await bulk(ids, { kind: paused ? 'pause' : 'resume' })
      expect(result).toEqual({ changed: ids, unchanged: [] })
      for (const id of ids) expect((await stored(id))?.paused).toBe(paused)
    }
    // created, paused, resumed
    expect(await revisionsOf(ids[0])).toHaveLength(3)
  })

  test('refuses a check of another account by itself, and changes the others', async () => {
    const [mine] = await two()
    const unknown = uuidv7(Date.now())
    const result = await bulk([unknown, mine], { kind: 'pause' })
    expect(result).toMatchObject({ changed: [mine], unchanged: [{ checkId: unknown, code: 'SV-3001' }] })
    const theirs = await bulk([mine], { kind: 'delete' }, other)
    expect(theirs).toMatchObject({ changed: [], unchanged: [{ code: 'SV-3001' }] })
    expect(await stored(mine)).not.toBeNull()
  })

  test('publishes each check, and refuses one that is published', async () => {
    const ids = await two()
    const [page] = (await at.call('GET', '/v1/status', { key: account.readKey })).json.statusPages
    const act = { kind: 'publish' as const, statusPageId: page.id }
    expect(await bulk(ids, act)).toMatchObject({ changed: ids })
    expect(await bulk(ids, act)).toMatchObject({ changed: [], unchanged: [{}, {}] })
    const { json } = await at.call('GET', `/v1/status-pages/${page.id}/components`, { key: account.readKey })
    const published = json.components.map(({ checkId }: { checkId: string }) => checkId)
    expect(published.toSorted()).toEqual(ids.toSorted())
  })

  test('adds checks to an alert rule once, all or none', async () => {
    const [first, second] = await two()
    const made = { name: 'mine', checkIds: [first] }
    const rule = await createAlertRule(context, writerOf(account), { body: CreateAlertRuleInput.parse(made) })
    if (isRefusal(rule)) throw new Error(rule.message)
    const act = { kind: 'add_to_rule' as const, alertRuleId: rule.id }
    expect(await bulk([first, second], act)).toMatchObject({ changed: [first, second] })
    const [row] = await at.sql`select check_ids from alert_rules where id = ${rule.id}`
    expect(row?.['check_ids']).toEqual([first, second])
    expect(await bulk([uuidv7(Date.now())], act)).toMatchObject({ refused: 'SV-2001' })
    expect(await bulk([first], { ...act, alertRuleId: uuidv7(Date.now()) })).toMatchObject({
      refused: 'SV-3001',
    })
  })

  test('leaves one audit entry for each check', async () => {
    const ids = await two()
    await bulk(ids, { kind: 'pause' })
    const rows = await at.sql`
      select resource_id from audit_log where account_id = ${account.id} and action = 'pauseCheck'`
    expect(rows.map((row) => row['resource_id']).toSorted()).toEqual(ids.toSorted())
  })
})

test('steps of a clone are those of the journey', async () => {
  const writer = writerOf(account)
  const body = { ...typedChecks.multistep.body, steps: [aStep, { ...aStep, name: 'pay' }] }
  const check = accepted(await createTypedCheck(context, writer, body))
  const copy = accepted(await cloneCheck(context, writer, { checkId: check.id }))
  expect((await stored(copy.id))?.config).toMatchObject({ steps: [{ name: 'home' }, { name: 'pay' }] })
})
