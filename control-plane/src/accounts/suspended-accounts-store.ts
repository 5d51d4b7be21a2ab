import type { AccountRecord } from './accounts-store.ts'
import { lockAccount } from './accounts-store.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'

/** The account, locked until the transaction ends, and whether it is suspended. */
export const lockSuspendable = async (
  transaction: Transaction,
  accountId: string,
): Promise<{ account: AccountRecord; isSuspended: boolean } | null> => {
  const account = await lockAccount(transaction, accountId)
  if (account === null) return null
  const [row] = await transaction<{ is_suspended: boolean }[]>`
    select suspended_at is not null as is_suspended from accounts where id = ${accountId}`
  return { account, isSuspended: row?.is_suspended ?? false }
}

/** @param suspendedAtMs null: it is suspended no more */
export const updateSuspended = async (
  transaction: Transaction,
  accountId: string,
  suspendedAtMs: number | null,
): Promise<void> => {
  const at = suspendedAtMs === null ? null : new Date(suspendedAtMs)
  await transaction`update accounts set suspended_at = ${at} where id = ${accountId}`
  // who takes error events forgets the keys and looks them up anew
  await transaction`
    select pg_notify('error_keys_changed', public_key) from error_keys
    where account_id = ${accountId} and revoked_at is null`
  // what waited for the account to be resumed
  await transaction`select pg_notify('deliveries', '')`
}

export type SuspendedCheck = { id: string; isHeartbeat: boolean }

/** Pauses the checks of an account that run, and remembers which those were. */
export const suspendChecks = async (
  transaction: Transaction,
  accountId: string,
  nowMs: number,
): Promise<SuspendedCheck[]> => {
  const now = new Date(nowMs)
  return await transaction<SuspendedCheck[]>`
    update checks set paused = true, suspended = true, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(updated_at, ${now})
    where account_id = ${accountId} and not paused
    returning id, type = 'heartbeat' as "isHeartbeat"`
}

/** Lets the checks run again that ran before their account was suspended. */
export const resumeChecks = async (
  transaction: Transaction,
  accountId: string,
  nowMs: number,
): Promise<SuspendedCheck[]> => {
  const now = new Date(nowMs)
  return await transaction<SuspendedCheck[]>`
    update checks set paused = false, suspended = false, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(updated_at, ${now})
    where account_id = ${accountId} and suspended
    returning id, type = 'heartbeat' as "isHeartbeat"`
}

/** Whether rows of an account are to be left alone. */
export const isSuspended = (connection: Connection, accountColumn: string) =>
  connection`exists (select from accounts suspended
    where suspended.id = ${connection(accountColumn)} and suspended.suspended_at is not null)`
