import type { Connection, Transaction } from '../../stores/postgres/connect.ts'

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

/** The check that replaced a deleted one, and the hash of the input that asked for it. */
export type Replacement = { byId: string; inputHash: Uint8Array }

/** Records what replaced a deleted check, so that the same request, repeated, finds it. */
export const markReplaced = async (
  tx: Transaction,
  checkId: string,
  { byId, inputHash }: Replacement,
): Promise<void> => {
  await tx`
    update deleted_checks set replaced_by = ${byId}, replace_hash = ${inputHash} where check_id = ${checkId}`
}

/** What replaced a check of an account; null if it was deleted, or never was. */
export const findReplacement = async (
  tx: Transaction,
  { accountId, checkId }: { accountId: string; checkId: string },
): Promise<Replacement | null> => {
  const [row] = await tx<Replacement[]>`
    select replaced_by as "byId", replace_hash as "inputHash" from deleted_checks
    where check_id = ${checkId} and account_id = ${accountId} and replaced_by is not null`
  return row ?? null
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
