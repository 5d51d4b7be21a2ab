import type { WatchedCheck } from './evidence.ts'
import { stateColumns, toState, type StateColumns } from '../status/state-columns.ts'
import type { Fragment, Transaction } from '../stores/postgres/connect.ts'

/**
 * These checks with their states, by id, locked against deletion until the transaction ends. Checks are
 * locked before the rows that refer to them, as when a check is deleted, so that there is no deadlock.
 */
export const lockWatchedChecksShared = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, WatchedCheck>> =>
  await readChecks(tx, checkIds, tx`order by checks.id for key share of checks`)

/** These checks with their states, by id, without deleted checks. Locks nothing. */
export const findWatchedChecks = async (
  tx: Transaction,
  checkIds: readonly string[],
): Promise<Map<string, WatchedCheck>> =>
  checkIds.length === 0 ? new Map() : await readChecks(tx, checkIds, tx``)

const readChecks = async (
  tx: Transaction,
  checkIds: readonly string[],
  locked: Fragment,
): Promise<Map<string, WatchedCheck>> => {
  const rows = await tx<(Omit<WatchedCheck, 'state'> & StateColumns)[]>`
    select checks.id, checks.account_id as "accountId", checks.type, checks.name, checks.url, checks.target,
      checks.regions, checks.interval_seconds as "intervalSeconds", checks.paused, ${stateColumns(tx)}
    from checks join check_states on check_states.check_id = checks.id
    where checks.id = any(${[...new Set(checkIds)]}::uuid[]) ${locked}`
  return new Map(
    rows.map(({ status, statusReason, statusSinceMs, version, stateRegions, ...check }) => [
      check.id,
      { ...check, state: toState({ status, statusReason, statusSinceMs, version, stateRegions }) },
    ]),
  )
}
