import { answerText } from '@probe-mesh/runtime/answer-text'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { useTestSql } from '@probe-mesh/infra/testing/postgres'
import { expect, test } from 'vitest'
import { insertAccount } from '../accounts/accounts-store.ts'
import { insertRevision } from '../records/check/check-revisions-store.ts'
import { insertCheck } from '../records/check/checks-store.ts'
import type { CheckAnswer, Writer } from '../accounts/operations/context.ts'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { reviseCheck } from './revise-check.ts'
import { targetCountsOf } from '../targets/target-counts.ts'
import { defaultTargetRules } from '../app/testing/operation-context.ts'

const sql = useTestSql()

const start = 1_700_000_000_000

const setUp = async () => {
  const accountId = uuidv7(start)
  const check = {
    id: uuidv7(start),
    accountId,
    type: 'http' as const,
    name: 'web',
    url: 'https://example.org/',
    target: null,
    intervalSeconds: 60,
    regions: ['fra'],
    allRegions: false,
    paused: false,
    tags: [],
    private: false,
    assertions: noAssertions,
    config: { type: 'http' as const },
    revision: 1,
    validFromMs: start,
    createdAtMs: start,
    updatedAtMs: start,
  }
  await insertAccount(sql, { id: accountId, name: 'a', tier: 'scale', createdAtMs: start })
  await sql.begin(async (tx) => {
    await insertCheck(tx, check)
    await insertRevision(tx, check)
  })
  const caller: Writer = { accountId, actor: { kind: 'operator' } }
  const answers = createExpiringCache<CheckAnswer>({
    now: () => 0,
    ageMsMax: 1_000,
    entriesMax: 10,
  })
  return { check, caller, answers }
}

test('drops its cached answer before it answers a change', async () => {
  const { check, caller, answers } = await setUp()
  const old = { scope: caller.accountId, text: answerText('old') }
  await answers.load(check.id, '', async () => ({ keep: old, value: old }))
  const context = {
    sql,
    answers,
    targets: targetCountsOf(sql),
    rules: { ...defaultTargetRules, targetAllow: allowNothing, regions: regionsDefault, tiers: tiersDefault },
    now: () => start + 5,
  }
  await reviseCheck(context, caller, 'test', check.id, () => ({ regions: ['nrt'] }))
  expect(answers.peek(check.id)).toBeUndefined()
})

test('a revision never starts before the former one, even if the clock goes back', async () => {
  const { check, caller, answers } = await setUp()
  const context = {
    sql,
    answers,
    targets: targetCountsOf(sql),
    rules: { ...defaultTargetRules, targetAllow: allowNothing, regions: regionsDefault, tiers: tiersDefault },
    now: () => start - 60_000,
  }
  const changed = await reviseCheck(context, caller, 'test', check.id, () => ({ regions: ['nrt'] }))
  expect(isRefusal(changed)).toBe(false)
  const revisions = await sql<{ valid_from: Date; valid_to: Date | null }[]>`
    select valid_from, valid_to from check_revisions where check_id = ${check.id} order by revision`
  expect(revisions).toEqual([
    { valid_from: new Date(start), valid_to: new Date(start) },
    { valid_from: new Date(start), valid_to: null },
  ])
})

test('a failure halfway changes neither the check nor its revisions', async () => {
  const { check, caller, answers } = await setUp()
  const context = {
    sql,
    answers,
    targets: targetCountsOf(sql),
    rules: { ...defaultTargetRules, targetAllow: allowNothing, regions: regionsDefault, tiers: tiersDefault },
    now: () => start + 5,
  }
  // the next revision is there already: its insert fails, after the check itself was written
  await sql`
    insert into check_revisions (check_id, revision, valid_from, valid_to, regions, interval_seconds, paused)
    values (${check.id}, 2, now(), now(), '{}', 60, false)`
  await expect(reviseCheck(context, caller, 'test', check.id, () => ({ regions: ['nrt'] }))).rejects.toThrow()
  const [row] = await sql`select regions, revision from checks where id = ${check.id}`
  expect(row).toEqual({ regions: ['fra'], revision: 1 })
})
