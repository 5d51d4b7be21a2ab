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
 * Deletes locked checks of an account with their revisions, states and flips, and leaves tombstones, by which
 * late readings are dropped and stored ones purged.
 */
export const deleteChecksForGood = async (
  tx: Transaction,
  { accountId, checkIds }: { accountId: string; checkIds: readonly string[] },
  deletedAtMs: number,
): Promise<void> => {
  const ids = [...checkIds]
  await tx`
    insert into deleted_checks (check_id, account_id, deleted_at)
    select id, account_id, ${new Date(deletedAtMs)}::timestamptz from checks
    where id = any(${ids}::uuid[]) and account_id = ${accountId}`
  await tx`delete from checks where id = any(${ids}::uuid[]) and account_id = ${accountId}`
}

/** The deleted ones among these checks of an account. */
export const findDeleted = async (
  db: Connection,
  { accountId, checkIds }: { accountId: string; checkIds: readonly string[] },
): Promise<string[]> => {
  const rows = await db<{ check_id: string }[]>`
    select check_id from deleted_checks
    where account_id = ${accountId} and check_id = any(${[...checkIds]}::uuid[])`
  return rows.map((row) => row.check_id)
}
