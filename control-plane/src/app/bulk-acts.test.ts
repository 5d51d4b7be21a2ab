import { CreateAlertRuleInput, checksPerRuleMax } from '@probe-mesh/contracts/alert/alert-rule'
import { BulkInput, bulkChecksMax, type BulkAct, type BulkResult } from '@probe-mesh/contracts/check/bulk'
import type { TypedCheckType } from '@probe-mesh/contracts/check/check-input'
import { tagsPerCheckMax } from '@probe-mesh/contracts/check/tags'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { useOnce } from '@probe-mesh/infra/testing/use'
import { beforeEach, describe, expect, test } from 'vitest'
import { ruleContext } from '../alerts/testing.ts'
import { createAlertRule, listAlertRules } from '../alerts/alert-rules.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { createTypedCheck } from '../checks/create-check.ts'
import { editTypedCheck } from '../checks/edit-typed-check.ts'
import { useTestApp, type TestAccount } from './testing/test-app.ts'
import { accepted, typedChecks, writingContext } from './testing/operation-context.ts'
import type { SaveRules } from '../accounts/operations/context.ts'
import { targetCountsOf } from '../targets/target-counts.ts'
import { changeChecks } from './bulk-acts.ts'

let account: TestAccount
let context: ReturnType<typeof contextOf>
const at = useTestApp({ config: { budgetScale: 1_000 } })
const other = useOnce(() => at.account('scale'))
beforeEach(async () => {
  account = await at.account('scale')
  context = contextOf()
})

/** As in production: operations see one account, and sums of targets see all. */
const contextOf = (rules: Partial<SaveRules> = {}) => {
  const writing = writingContext(at.accountSql, rules)
  return { ...writing, targets: targetCountsOf(at.systemSql), uptimes: writing.answers }
}
const writerOf = ({ id: accountId }: TestAccount) => ({ accountId, actor: { kind: 'operator' as const } })
const create = async (type: TypedCheckType = 'tcp', more: object = {}): Promise<string> => {
  const body = { ...typedChecks[type].body, ...more }
  return accepted(await createTypedCheck(context, writerOf(account), body)).id
}
const several = async (count: number, more: object = {}): Promise<string[]> => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await create('heartbeat', { name: `check ${n}`, ...more }))
  return ids
}
const sent = (checkIds: readonly string[], act: BulkAct, of = account) =>
  changeChecks(context, writerOf(of), BulkInput.parse({ checkIds, act }))
const done = async (checkIds: readonly string[], act: BulkAct): Promise<BulkResult> => {
  const result = await sent(checkIds, act)
  if (isRefusal(result)) throw new Error(result.message)
  return result
}
const stored = (id: string) => findCheck(at.sql, account.id, id)
const revisionsOf = (id: string) => findRevisions(at.sql, id, 0, Date.now() + 3_600_000)
const auditOf = async (action: string): Promise<string[]> => {
  const rows = await at.sql<{ resource_id: string }[]>`
    select resource_id from audit_log where account_id = ${account.id} and action = ${action}`
  return rows.map((row) => row.resource_id)
}
const nothing = { changed: [], unchanged: [], refusals: [] }
const pageOf = async (): Promise<string> =>
  (await at.call('GET', '/v1/status', { key: account.readKey })).json.statusPages[0].id
const publishedOn = async (pageId: string): Promise<string[]> => {
  const path = `/v1/status-pages/${pageId}/components`
  const { json } = await at.call('GET', path, { key: account.readKey })
  return json.components.map(({ checkId }: { checkId: string }) => checkId)
}
/** A check that a newer version wrote. */
const newer = async (): Promise<string> => {
  const id = await create()
  await at.sql`update checks set config = '{"type":"tcp","lunar":true}' where id = ${id}`
  return id
}

test.each<[string, unknown]>([
  ['no check', { checkIds: [], act: { kind: 'pause' } }],
  ['a check twice', { checkIds: Array(2).fill(uuidv7(1)), act: { kind: 'pause' } }],
  [
    'more checks than allowed',
    { checkIds: Array.from({ length: bulkChecksMax + 1 }, (_, n) => uuidv7(n)), act: { kind: 'pause' } },
  ],
  ['another act', { checkIds: [uuidv7(1)], act: { kind: 'run' } }],
  ['an act with a foreign field', { checkIds: [uuidv7(1)], act: { kind: 'pause', tag: 'a' } }],
  ['a tag that no check may have', { checkIds: [uuidv7(1)], act: { kind: 'add_tag', tag: 'a,b' } }],
])('an act on %s is invalid', (_, input) => {
  expect(BulkInput.safeParse(input).success).toBe(false)
})

describe('a pause and a resume', () => {
  test('change each check once, in the order of the request, with an audit entry for each change', async () => {
    const ids = [await create('tcp'), await create('heartbeat'), await create('multistep')].toReversed()
    for (const kind of ['pause', 'resume'] as const) {
      context.clock.nowMs += 1_000
      expect(await done(ids, { kind })).toEqual({ ...nothing, changed: ids })
      expect(await done(ids, { kind })).toEqual({ ...nothing, unchanged: ids })
      for (const id of ids) expect((await stored(id))?.paused).toBe(kind === 'pause')
    }
    for (const id of ids) expect(await revisionsOf(id)).toHaveLength(3)
    for (const action of ['pauseCheck', 'resumeCheck']) {
      expect((await auditOf(action)).toSorted()).toEqual(ids.toSorted())
    }
    expect(context.dropped).toEqual(expect.arrayContaining(ids))
  })

  test('leave unknown checks, checks of others and checks of a newer version, and say why', async () => {
    const [mine, odd, unknown] = [await create(), await newer(), uuidv7(Date.now())]
    expect(await done([unknown, odd, mine], { kind: 'pause' })).toMatchObject({
      changed: [mine],
      unchanged: [],
      refusals: [
        { checkId: unknown, code: 'SV-3001', message: 'The account has no check with this id.' },
        { checkId: odd, code: 'SV-3002' },
      ],
    })
    expect(await sent([mine], { kind: 'resume' }, other)).toMatchObject({
      changed: [],
      refusals: [{ checkId: mine, code: 'SV-3001' }],
    })
    expect((await stored(mine))?.paused).toBe(true)
  })

  test('count the requests of all resumed checks together against the limit of a target', async () => {
    const host = `host-${uuidv7(1).slice(-12)}.example.net`
    const settings = { host, port: 443 }
    const ids: string[] = []
    // one check asks 4 times a minute; an account may ask half of 16
    for (let n = 0; n < 3; n++) ids.push(await create('tcp', { settings, intervalSeconds: 60 }))
    await done(ids, { kind: 'pause' })
    context = contextOf({ targetRequestsPerMinute: 16 })
    const result = await done(ids, { kind: 'resume' })
    expect([result.changed.length, result.refusals.map(({ code }) => code)]).toEqual([2, ['SV-5001']])
    expect(result.refusals[0]?.message).toContain(host)
    const running = await Promise.all(ids.map(async (id) => (await stored(id))?.paused === false))
    expect(running.filter(Boolean)).toHaveLength(2)
    expect(await done(ids, { kind: 'resume' })).toMatchObject({ changed: [], refusals: [{}] })
  })

  test('at the same time on the same checks end in one of the two states, and both answer', async () => {
    const ids = await several(8)
    const [paused, resumed] = await Promise.all([
      done(ids, { kind: 'pause' }),
      done(ids.toReversed(), { kind: 'resume' }),
    ])
    expect([...paused.changed, ...paused.unchanged].toSorted()).toEqual(ids.toSorted())
    expect([...resumed.changed, ...resumed.unchanged].toSorted()).toEqual(ids.toSorted())
    const states = new Set(await Promise.all(ids.map(async (id) => (await stored(id))?.paused)))
    expect(states.size).toBe(1)
  })
})

describe('tags', () => {
  test('are added and removed in any spelling, without a revision and once', async () => {
    const [first, second] = [await create('tcp', { tags: ['Shop'] }), await create('tcp')] as const
    expect(await done([first, second], { kind: 'add_tag', tag: ' shop ' })).toEqual({
      ...nothing,
      changed: [second],
      unchanged: [first],
    })
    expect([(await stored(first))?.tags, (await stored(second))?.tags]).toEqual([['Shop'], ['shop']])
    expect(await done([first, second], { kind: 'remove_tag', tag: 'SHOP' })).toMatchObject({
      changed: [first, second],
    })
    expect([(await stored(first))?.tags, (await stored(second))?.tags]).toEqual([[], []])
    expect(await revisionsOf(second)).toHaveLength(1)
    expect((await auditOf('tagCheck')).toSorted()).toEqual([first, second, second].toSorted())
  })

  test('stay below the limit of a check: one more is refused, and one that is there is not', async () => {
    const tags = Array.from({ length: tagsPerCheckMax }, (_, n) => `t${n}`)
    const [full, empty] = [await create('tcp', { tags }), await create('tcp')]
    expect(await done([full, empty], { kind: 'add_tag', tag: 'new' })).toMatchObject({
      changed: [empty],
      refusals: [{ checkId: full, code: 'SV-2001', message: expect.stringContaining('20 tags') }],
    })
    expect(await done([full], { kind: 'add_tag', tag: 'T3' })).toMatchObject({ unchanged: [full] })
    expect((await stored(full))?.tags).toEqual(tags)
  })

  test('of two acts and an edit at once are all kept', async () => {
    const ids = await several(5)
    const outcomes = await Promise.all([
      done(ids, { kind: 'add_tag', tag: 'a' }),
      done(ids.toReversed(), { kind: 'add_tag', tag: 'b' }),
      ...ids.map((checkId) =>
        editTypedCheck(context, writerOf(account), { checkId, body: { name: 'renamed' } }),
      ),
    ])
    expect(outcomes.filter((outcome) => isRefusal(outcome))).toEqual([])
    for (const id of ids) {
      const check = await stored(id)
      expect([check?.name, check?.tags.toSorted()]).toEqual(['renamed', ['a', 'b']])
    }
  })

  test('do not touch a check that a newer version wrote', async () => {
    const odd = await newer()
    const act = { kind: 'add_tag', tag: 'a' } as const
    expect(await done([odd], act)).toMatchObject({ refusals: [{ code: 'SV-3002' }] })
    const [row] = await at.sql`select tags, config from checks where id = ${odd}`
    expect(row).toEqual({ tags: [], config: { type: 'tcp', lunar: true } })
  })
})

describe('a deletion', () => {
  test('leaves a tombstone for each check, and a repetition changes nothing', async () => {
    const ids = [await create('tcp'), await newer(), await create('heartbeat')]
    const kept = await create('dns')
    expect(await done(ids, { kind: 'delete' })).toEqual({ ...nothing, changed: ids })
    expect(await done(ids, { kind: 'delete' })).toEqual({ ...nothing, unchanged: ids })
    const tombstones = await at.sql`
      select check_id from deleted_checks where account_id = ${account.id} order by check_id`
    expect(tombstones.map((row) => row['check_id'])).toEqual(ids.toSorted())
    expect((await auditOf('deleteCheck')).toSorted()).toEqual(ids.toSorted())
    expect(await stored(kept)).not.toBeNull()
  })

  test('of a check of another account is not found, and neither is a deleted one', async () => {
    const [mine, gone] = [await create(), await create()]
    await done([gone], { kind: 'delete' })
    expect(await sent([mine, gone], { kind: 'delete' }, other)).toMatchObject({
      changed: [],
      unchanged: [],
      refusals: [{ code: 'SV-3001' }, { code: 'SV-3001' }],
    })
    expect(await stored(mine)).not.toBeNull()
  })
})

describe('publishing', () => {
  test('keeps the order of the request over several transactions, and publishes a check once', async () => {
    const ids = (await several(120)).toSorted((a, b) => a.slice(-12).localeCompare(b.slice(-12)))
    const statusPageId = await pageOf()
    const act = { kind: 'publish', statusPageId } as const
    const [early, ...others] = ids as [string, ...string[]]
    await done([early], act)
    context.clock.nowMs += 1
    expect(await done(ids, act)).toEqual({ ...nothing, changed: others, unchanged: [early] })
    expect(await publishedOn(statusPageId)).toEqual(ids)
    expect(await done(ids, act)).toEqual({ ...nothing, unchanged: ids })
    expect(await auditOf('createComponent')).toHaveLength(120)
  })

  test('refuses a private check, and an unknown page as a whole', async () => {
    const [open, hidden] = [await create(), await create()]
    await at.sql`update checks set private = true where id = ${hidden}`
    const statusPageId = await pageOf()
    expect(await done([hidden, open], { kind: 'publish', statusPageId })).toMatchObject({
      changed: [open],
      refusals: [{ checkId: hidden, code: 'SV-3002' }],
    })
    const [theirs] = (await at.call('GET', '/v1/status', { key: other.readKey })).json.statusPages
    for (const id of [theirs.id, uuidv7(Date.now())]) {
      expect(await sent([open], { kind: 'publish', statusPageId: id })).toMatchObject({
        refused: 'SV-3001',
        errors: [{ path: 'act.statusPageId' }],
      })
    }
  })

  test('by two people at once publishes each check once', async () => {
    const ids = await several(6)
    const act = { kind: 'publish', statusPageId: await pageOf() } as const
    const results = await Promise.all([done(ids, act), done(ids.toReversed(), act)])
    const changed = results.flatMap((result) => result.changed)
    expect(changed.toSorted()).toEqual(ids.toSorted())
    expect((await publishedOn(act.statusPageId)).toSorted()).toEqual(ids.toSorted())
  })
})

describe('adding to an alert rule', () => {
  const ruleOf = async (checkIds: string[] | null): Promise<string> => {
    const body = CreateAlertRuleInput.parse({ name: 'mine', checkIds })
    const rule = await createAlertRule(ruleContext(context.sql), writerOf(account), { body })
    if (isRefusal(rule)) throw new Error(rule.message)
    return rule.id
  }
  const checksOf = async (ruleId: string) =>
    (await listAlertRules(ruleContext(context.sql), writerOf(account))).alertRules.find(
      ({ id }) => id === ruleId,
    )?.checkIds

  test('selects each check once, with one audit entry of the rule', async () => {
    const [first, second, unknown] = [await create(), await create(), uuidv7(Date.now())]
    const alertRuleId = await ruleOf([first])
    const act = { kind: 'add_to_rule', alertRuleId } as const
    expect(await done([unknown, second, first], act)).toMatchObject({
      changed: [second],
      unchanged: [first],
      refusals: [{ checkId: unknown, code: 'SV-3001' }],
    })
    expect(await checksOf(alertRuleId)).toEqual([first, second].toSorted())
    expect(await done([first, second], act)).toEqual({ ...nothing, unchanged: [first, second] })
    expect(await auditOf('updateAlertRule')).toEqual([alertRuleId])
  })

  test('at the same time loses no check', async () => {
    const ids = await several(6)
    const alertRuleId = await ruleOf([await create()])
    await Promise.all(ids.map((id) => done([id], { kind: 'add_to_rule', alertRuleId })))
    expect(await checksOf(alertRuleId)).toEqual(expect.arrayContaining(ids))
  })

  test('leaves a rule for all checks as it is', async () => {
    const [check, alertRuleId] = [await create(), await ruleOf(null)]
    expect(await done([check], { kind: 'add_to_rule', alertRuleId })).toEqual({
      ...nothing,
      unchanged: [check],
    })
    expect(await checksOf(alertRuleId)).toBeNull()
  })

  test('refuses what a rule cannot hold, and a rule of another account', async () => {
    const [check, last, over] = [await create(), await create(), await create()]
    const alertRuleId = await ruleOf([check])
    const act = { kind: 'add_to_rule', alertRuleId } as const
    // ids of existing checks, which no test could create one by one
    await at.sql`
      insert into checks (id, account_id, type, name, interval_seconds, regions, all_regions, paused,
        private, config, revision, valid_from, created_at, updated_at)
      select gen_random_uuid(), ${account.id}, 'heartbeat', 'many', 60, '{}', false, true, false,
        '{"type":"unknown"}', 1, now(), now(), now()
      from generate_series(1, ${checksPerRuleMax - 2})`
    await at.sql`
      update alert_rules set check_ids = array(
        select id from checks where account_id = ${account.id} and id <> all(${[last, over]}::uuid[]))
      where id = ${alertRuleId}`
    expect(await done([last, over], act)).toMatchObject({
      changed: [last],
      refusals: [{ checkId: over, code: 'SV-3002' }],
    })
    expect(await sent([check], act, other)).toMatchObject({
      refused: 'SV-3001',
      errors: [{ path: 'act.alertRuleId' }],
    })
  })
})

describe('an act that runs out of time', () => {
  test('refuses the checks that are left, and its repetition does them', async () => {
    const ids = await several(110)
    let reads = 0
    const slow = { ...context, now: () => context.clock.nowMs + 2_000 * reads++ }
    const act = { checkIds: ids, act: { kind: 'pause' } } as const
    const result = await changeChecks(slow, writerOf(account), { ...act, checkIds: ids })
    if (isRefusal(result)) throw new Error(result.message)
    expect(result.changed).toEqual(ids.slice(0, 100))
    expect(result.refusals).toHaveLength(10)
    expect(result.refusals[0]).toMatchObject({ checkId: ids[100], code: 'SV-9002' })
    context.clock.nowMs += 60_000
    expect(await done(ids, { kind: 'pause' })).toMatchObject({
      changed: ids.slice(100),
      unchanged: ids.slice(0, 100),
    })
  })
})
