import type { Tier } from '@probe-mesh/contracts/account/tiers'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** The account of the catalog: without users, keys and pages. */
export const catalogAccountId = '0ca7a106-0000-8000-8000-000000000000'

export type AccountRecord = { id: string; name: string; tier: Tier; createdAtMs: number }

/** The columns of an `AccountRecord`. */
export const accountColumns = (db: Connection) =>
  db`accounts.id, accounts.name, accounts.tier, ${epochMs(db, 'accounts.created_at')} as "createdAtMs"`

export const insertAccount = async (db: Connection, account: AccountRecord): Promise<void> => {
  await db`
    insert into accounts (id, name, tier, created_at)
    values (${account.id}, ${account.name}, ${account.tier}, ${new Date(account.createdAtMs)})`
}

export const findAccount = async (db: Connection, accountId: string): Promise<AccountRecord | null> => {
  const [row] = await db<AccountRecord[]>`
    select ${accountColumns(db)} from accounts where id = ${accountId}`
  return row ?? null
}

/** Whether this is the operator's own account, created at the first start. */
export const isOperatorsAccount = async (db: Connection, accountId: string): Promise<boolean> => {
  const [row] = await db<{ is_operators: boolean }[]>`
    select is_operators from accounts where id = ${accountId}`
  return row?.is_operators ?? false
}

/** The operator's own account, created at the first start; null when there is none. */
export const findOperatorsAccount = async (db: Connection): Promise<string | null> => {
  const [row] = await db<{ id: string }[]>`select id from accounts where is_operators`
  return row?.id ?? null
}

/** Marks an account that the operator created as the operator's own, if it is the first account. */
export const markOperatorsAccount = async (tx: Transaction, accountId: string): Promise<void> => {
  await tx`select pg_advisory_xact_lock(hashtextextended('operators account', 0))`
  await tx`
    update accounts set is_operators = true
    where id = ${accountId} and not exists (
      select from accounts where id not in (${accountId}, ${catalogAccountId}))`
}

/**
 * Locks the account until the transaction ends, so that changes that count against its limits run one by one.
 */
export const lockAccount = async (tx: Transaction, accountId: string): Promise<AccountRecord | null> => {
  const [row] = await tx<AccountRecord[]>`
    select ${accountColumns(tx)} from accounts where id = ${accountId} for no key update`
  return row ?? null
}

/** SQL condition: the account in this column is suspended. */
export const isSuspended = (db: Connection, accountColumn: string) =>
  db`exists (select from accounts suspended
    where suspended.id = ${db(accountColumn)} and suspended.suspended_at is not null)`
