import type { Transaction } from '../stores/postgres/connect.ts'

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
