import { stateColumns, toState, type StateColumns } from '../status/state-columns.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import type { WatchedCheck } from './evidence.ts'
import type { HoldingParent } from './when-to-alert.ts'

/** A parent with the check that depends on it. */
export type ParentRow = { childId: string; check: WatchedCheck; hasNewFlips: boolean }

/** The parents of these checks with their states. Locks nothing. */
export const findParentsOf = async (tx: Transaction, checkIds: readonly string[]): Promise<ParentRow[]> => {
  const rows = await tx<(Omit<WatchedCheck, 'state'> & StateColumns & Omit<ParentRow, 'check'>)[]>`
    select check_parents.check_id as "childId", checks.id, checks.account_id as "accountId", checks.type, checks.name,
      checks.url, checks.target, checks.regions, checks.interval_seconds as "intervalSeconds", checks.paused,
      check_states.version > coalesce(alert_cursors.version, 0) as "hasNewFlips", ${stateColumns(tx)}
    from check_parents join checks on checks.id = check_parents.parent_id
      join check_states on check_states.check_id = checks.id
      left join alert_cursors on alert_cursors.check_id = checks.id
    where check_parents.check_id = any(${[...checkIds]}::uuid[])
    order by checks.id`
  return rows.map(
    ({ childId, hasNewFlips, status, statusReason, statusSinceMs, version, stateRegions, ...check }) => ({
      childId,
      hasNewFlips,
      check: { ...check, state: toState({ status, statusReason, statusSinceMs, version, stateRegions }) },
    }),
  )
}

/** The parent that holds an alert of a check now; null if none does. */
export const findHoldingParent = async (db: Connection, checkId: string): Promise<HoldingParent | null> => {
  const [row] = await db<{ heldBy: HoldingParent }[]>`
    select state -> 'heldBy' as "heldBy" from alerts
    where check_id = ${checkId} and state ->> 'phase' = 'held' and state -> 'heldBy' is not null
    order by state -> 'heldBy' -> 'sinceMs' limit 1`
  return row?.heldBy ?? null
}

/** A failing check, and the check above it that a message is about. `count`: all such checks of that one. */
export type FailingChild = { parentId: string; name: string; count: number }

/**
 * The checks that depend on these ones, directly or through others that fail too, and are down, or whose alert
 * is held by a parent: the first ones of each by name. A paused check does not fail.
 */
export const findFailingChildren = async (
  tx: Transaction,
  checkIds: readonly string[],
  { perParent, limit }: { perParent: number; limit: number },
): Promise<FailingChild[]> => {
  const isFailing = tx`not checks.paused and (check_states.status = 'down' or exists (
    select from alerts where alerts.check_id = checks.id and alerts.state ->> 'phase' = 'held'
      and alerts.state -> 'heldBy' is not null))`
  return await tx<FailingChild[]>`
    with recursive below as (
      select parent_id as top, checks.id, checks.name from check_parents
        join checks on checks.id = check_parents.check_id
        join check_states on check_states.check_id = checks.id
      where parent_id = any(${[...new Set(checkIds)]}::uuid[]) and ${isFailing}
      union
      select below.top, checks.id, checks.name from below
        join check_parents on check_parents.parent_id = below.id
        join checks on checks.id = check_parents.check_id
        join check_states on check_states.check_id = checks.id
      where ${isFailing}
    )
    select "parentId", name, count from (
      select top as "parentId", name, count(*) over (partition by top)::integer as count,
        row_number() over (partition by top order by name, id) as place
      from below) as placed
    where place <= ${perParent} order by count desc, "parentId", place limit ${limit}`
}
