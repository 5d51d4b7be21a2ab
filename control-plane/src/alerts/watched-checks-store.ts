import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { WatchedCheck } from './evidence.ts'
import { stateColumns, toState, type StateColumns } from '../status/state-columns.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/**
 * These checks with their states, by id, locked against deletion until the transaction ends. Checks are
 * locked before the rows that refer to them, as when a check is deleted, so that there is no deadlock.
 */
export const lockWatchedChecksShared = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, WatchedCheck>> => {
  const rows = await tx<(Omit<WatchedCheck, 'state'> & StateColumns)[]>`
    select checks.id, checks.account_id as "accountId", checks.type, checks.name, checks.url, checks.target,
      checks.regions, checks.interval_seconds as "intervalSeconds", checks.paused, ${stateColumns(tx)}
    from checks join check_states on check_states.check_id = checks.id
    where checks.id = any(${[...checkIds]}::uuid[])
    order by checks.id for key share of checks`
  return new Map(
    rows.map(({ status, statusReason, statusSinceMs, version, stateRegions, ...check }) => [
      check.id,
      { ...check, state: toState({ status, statusReason, statusSinceMs, version, stateRegions }) },
    ]),
  )
}

/** The statuses of these checks, by id, without deleted checks. */
export const findStatuses = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, { status: CheckStatus; sinceMs: number | null }>> => {
  const rows = await tx<{ checkId: string; status: CheckStatus; sinceMs: number | null }[]>`
    select check_id as "checkId", status, ${epochMs(tx, 'status_since')} as "sinceMs" from check_states
    where check_id = any(${[...new Set(checkIds)]}::uuid[])`
  return new Map(rows.map(({ checkId, ...status }) => [checkId, status]))
}
