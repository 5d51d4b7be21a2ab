import type { ErrorUsage } from '@probe-mesh/contracts/error-tracking/error-project'
import { monthOf, nextMonthMs } from '../events/month.ts'
import type { ErrorCounts } from '../events/project.ts'
import { findErrorCounts, findSpentByDeleted } from './error-projects-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'

/** What an account spent of the error events that its tier stores in a month. */
export const getErrorUsage = async (
  { sql, rules, now }: Pick<AccountContext, 'sql' | 'rules' | 'now'>,
  { accountId, tier }: Pick<Caller, 'accountId' | 'tier'>,
): Promise<ErrorUsage> => {
  const nowMs = now()
  const month = monthOf(nowMs)
  const [counts, spentByDeleted] = await inAccount(sql, accountId, (tx) =>
    Promise.all([findErrorCounts(tx, accountId, month), findSpentByDeleted(tx, accountId, month)]),
  )
  return describeErrorUsage(
    { counts, spentByDeleted },
    rules.tiers[tier].errorEventsPerMonth,
    nowMs,
  )
}

/** Pure. @param events of the month of `nowMs`, by project id */
export const describeErrorUsage = (
  events: { counts: ReadonlyMap<string, ErrorCounts>; spentByDeleted: number },
  quota: number,
  nowMs: number,
): ErrorUsage => ({
  since: new Date(monthOf(nowMs)).toISOString(),
  until: new Date(nextMonthMs(nowMs)).toISOString(),
  asOf: new Date(nowMs).toISOString(),
  quota,
  spent: [...events.counts.values()].reduce(
    (sum, { stored = 0 }) => sum + stored,
    events.spentByDeleted,
  ),
})
