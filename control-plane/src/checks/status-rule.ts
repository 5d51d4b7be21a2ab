import { isDeepStrictEqual } from 'node:util'
import {
  defaultStatusRule,
  isDefaultRule,
  statusRuleProblems,
  statusRuleText,
  type CheckStatusRule,
  type StatusRule,
} from '@probe-mesh/contracts/check/status-rule'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { attemptMsOf, type CheckRecord } from '../records/check/check-record.ts'
import { findCheck, notifyCheckChanged, writeStatusRule } from '../records/check/checks-store.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** What decides the status of a check, and in a sentence. SV-3001 for an unknown check. */
export const getStatusRule = (
  { sql }: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
  { params: { id } }: { params: { id: string } },
): Promise<CheckStatusRule | Refusal> =>
  inAccount(sql, accountId, async (tx) => {
    const check = await findCheck(tx, accountId, id)
    return check === null ? refuse('SV-3001') : describeStatusRule(check)
  })

/** A heartbeat has no regions, and its deadline decides. */
const describeStatusRule = ({ statusRule, regions }: CheckRecord): CheckStatusRule => {
  const rule = statusRule ?? defaultStatusRule
  return { rule, text: regions.length === 0 ? null : statusRuleText(rule, regions.length) }
}

/** What a rule must fit; without an interval, the longest one. */
type Ruled = Pick<CheckRecord, 'regions' | 'config'> & { intervalSeconds: number | undefined }

/** SV-2001, with every problem, for a rule that could never apply: too many regions, or slower than a probe may take. */
export const refuseStatusRule = (
  rule: StatusRule,
  { regions, intervalSeconds, config }: Ruled,
): Refusal | null => {
  const attemptMs = attemptMsOf({ intervalSeconds: intervalSeconds ?? limits.intervalSecondsMax, config })
  const problems = statusRuleProblems(rule, { regions: regions.length, attemptMs })
  if (problems.length === 0) return null
  const errors = problems.map(({ path, message }) => ({ path: `statusRule.${path}`, message }))
  return refuse('SV-2001', { errors })
}

/** A rule as it is stored: the default is null. */
export const storedStatusRule = (rule: StatusRule | undefined): StatusRule | null =>
  rule === undefined || isDefaultRule(rule) ? null : rule

/**
 * Changes what decides the status of a locked check. What is stored of its regions stays, so the next reading is
 * judged by the new rule. @returns whether anything changed
 */
export const changeStatusRule = async (
  tx: Transaction,
  { id, statusRule, ...ruled }: Ruled & Pick<CheckRecord, 'id' | 'statusRule'>,
  rule: StatusRule,
): Promise<boolean | Refusal> => {
  const next = storedStatusRule(rule)
  // regions may have been removed since it was set (S-919)
  if (isDeepStrictEqual(next, statusRule ?? null)) return false
  const refused = refuseStatusRule(rule, ruled)
  if (refused !== null) return refused
  await writeStatusRule(tx, id, next)
  await notifyCheckChanged(tx, id)
  return true
}
