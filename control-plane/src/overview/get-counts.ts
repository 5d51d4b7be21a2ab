import { issuesCountMax, type Counts } from '@probe-mesh/contracts/overview/overview'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** The counts in the navigation of every page, in one statement. */
export const getCounts = (
  { sql, now }: Pick<AccountContext, 'sql' | 'now'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Counts> => inAccount(sql, accountId, (tx) => countOpen(tx, accountId, now()))

export const countOpen = async (tx: Transaction, accountId: string, nowMs: number): Promise<Counts> => {
  const now = new Date(nowMs)
  const [row] = await tx<Counts[]>`
    select
      (select count(*)::int from outages join checks on checks.id = outages.check_id
        where outages.account_id = ${accountId} and ended_at is null and not paused) as "openOutages",
      (select count(*)::int from incidents
        where account_id = ${accountId} and resolved_at is null) as "openIncidents",
      (select count(*)::int from (
        select from error_issues where account_id = ${accountId} and status = 'unresolved'
        limit ${issuesCountMax}) as unresolved) as "unresolvedIssues",
      (select count(*)::int from maintenance_windows
        where account_id = ${accountId} and ends_at > ${now} and starts_at <= ${now}) as "activeMaintenance"`
  return row ?? { openOutages: 0, openIncidents: 0, unresolvedIssues: 0, activeMaintenance: 0 }
}
