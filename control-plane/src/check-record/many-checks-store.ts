import type { Transaction } from '../stores/postgres/connect.ts'

/** Any constant, the same for all who revise many checks. */
const manyChecksLock = 727_004

/**
 * Begins to revise many checks. Waits until nobody else does, and keeps others waiting until the
 * transaction ends: two at once would wait for one another's rows in a circle.
 */
export const beginManyChecks = async (transaction: Transaction): Promise<void> => {
  await transaction`select pg_advisory_xact_lock(${manyChecksLock})`
  // of tables that were just filled the planner knows nothing, and would compare each with each
  await transaction`set local enable_nestloop = off`
}

/**
 * Opens the current revision of each of these checks as its row has it, closing the one before at
 * the same instant, and tells every control plane, once the transaction is committed, to read them
 * again.
 */
export const openRevisions = async (
  transaction: Transaction,
  checkIds: readonly string[],
): Promise<void> => {
  const ids = [...checkIds]
  await transaction`
    update check_revisions set valid_to = checks.valid_from
    from checks
    where checks.id = check_revisions.check_id and check_revisions.valid_to is null
      and checks.id = any(${ids}::uuid[])`
  await transaction`
    with opened as (
      insert into check_revisions (check_id, revision, valid_from, regions, interval_seconds, paused,
        spread)
      select id, revision, valid_from, regions, interval_seconds, paused, is_spread(regions, valid_from)
      from checks where id = any(${ids}::uuid[])
      returning check_id, revision, spread
    )
    update checks set spread_revision = opened.revision from opened
    where checks.id = opened.check_id and opened.spread`
  await transaction`
    select pg_notify('checks_changed', id::text) from unnest(${ids}::uuid[]) as id`
}
