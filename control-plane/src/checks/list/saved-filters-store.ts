import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** A stored filter of the list. Its query may be of another version. */
export type SavedFilterRecord = {
  id: string
  name: string
  query: Readonly<Record<string, string | undefined>>
  createdAtMs: number
}

/** The saved filters of an account, by name. */
export const findSavedFilters = async (db: Connection, accountId: string): Promise<SavedFilterRecord[]> =>
  await db<SavedFilterRecord[]>`
    select id, name, query, ${epochMs(db, 'created_at')} as "createdAtMs" from saved_filters
    where account_id = ${accountId} order by lower(name), id`

export const insertSavedFilter = async (
  tx: Transaction,
  accountId: string,
  { id, name, query, createdAtMs }: SavedFilterRecord,
): Promise<void> => {
  await tx`
    insert into saved_filters (id, account_id, name, query, created_at)
    values (${id}, ${accountId}, ${name}, ${tx.json(query)}, ${new Date(createdAtMs)})`
}

/** @returns false if the account has no such filter */
export const deleteSavedFilter = async (tx: Transaction, accountId: string, id: string): Promise<boolean> => {
  const { count } = await tx`delete from saved_filters where account_id = ${accountId} and id = ${id}`
  return count > 0
}
