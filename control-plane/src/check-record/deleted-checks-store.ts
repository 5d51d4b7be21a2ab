import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** Deleted checks with readings to purge, oldest first. */
export const findUnpurged = async (
  db: Connection,
  deletedBeforeMs: number,
  limit: number,
): Promise<string[]> => {
  const rows = await db<{ check_id: string }[]>`
    select check_id from deleted_checks
    where purged_at is null and deleted_at < ${new Date(deletedBeforeMs)}
    order by deleted_at limit ${limit}`
  return rows.map((row) => row.check_id)
}

export const markPurged = async (
  db: Connection,
  checkIds: readonly string[],
  nowMs: number,
): Promise<void> => {
  await db`
    update deleted_checks set purged_at = ${new Date(nowMs)}
    where check_id = any(${[...checkIds]}::uuid[])`
}

/**
 * Deletes a check with its revisions, state and flips, and leaves a tombstone, by which late readings are
 * dropped and stored ones purged.
 */
export const deleteCheckForGood = async (
  tx: Transaction,
  check: { id: string; accountId: string },
  deletedAtMs: number,
): Promise<void> => {
  await tx`
    insert into deleted_checks (check_id, account_id, deleted_at)
    values (${check.id}, ${check.accountId}, ${new Date(deletedAtMs)})`
  await tx`delete from checks where id = ${check.id}`
}
