import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** Deleted checks whose readings are still to be purged, oldest first. */
export const findUnpurged = async (
  sql: Connection,
  deletedBeforeMs: number,
  limit: number,
): Promise<string[]> => {
  const rows = await sql<{ check_id: string }[]>`
    select check_id from deleted_checks
    where purged_at is null and deleted_at < ${new Date(deletedBeforeMs)}
    order by deleted_at limit ${limit}`
  return rows.map((row) => row.check_id)
}

export const markPurged = async (
  sql: Connection,
  checkIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  await sql`
    update deleted_checks set purged_at = ${new Date(nowMs)}
    where check_id = any(${[...checkIds]}::uuid[])`
}

/**
 * Removes a check with its revisions, state and flips, and leaves a tombstone: readings that still
 * arrive are dropped by it, and its stored ones are purged by it.
 */
export const deleteCheckForGood = async (
  transaction: Transaction,
  check: { id: string; accountId: string },
  deletedAtMs: number,
): Promise<void> => {
  await transaction`
    insert into deleted_checks (check_id, account_id, deleted_at)
    values (${check.id}, ${check.accountId}, ${new Date(deletedAtMs)})`
  await transaction`delete from checks where id = ${check.id}`
}
