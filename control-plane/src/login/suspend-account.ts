import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { lockAccount, type AccountRecord } from '../accounts/accounts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { beginManyChecks, openRevisions } from '../records/check/many-checks-store.ts'
import { operator, type OperatorContext } from '../accounts/operations/context.ts'
import { rearmHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { write } from '../accounts/operations/write.ts'

type Suspension = { account: AccountRecord; checks: number }

/**
 * Suspends an account, for the operator. Within 5 s every control plane refuses its keys, sessions, agents
 * and error events, and stops its notifications and mails. Its running checks are paused, so that no reading
 * of them is expected; its status pages can still be read (S-2110).
 */
export const suspendAccount = (
  context: OperatorContext,
  { accountId }: { accountId: string },
): Promise<Suspension | Refusal> =>
  change(context, accountId, 'suspendAccount', async (tx, isSuspended, nowMs) => {
    if (isSuspended) return refuse('SV-3002', { message: 'The account is already suspended.' })
    await updateSuspended(tx, accountId, nowMs)
    return suspendChecks(tx, accountId, nowMs)
  })

/** Resumes a suspended account, for the operator: its checks run again if they ran before. */
export const resumeAccount = (
  context: OperatorContext,
  { accountId }: { accountId: string },
): Promise<Suspension | Refusal> =>
  change(context, accountId, 'resumeAccount', async (tx, isSuspended, nowMs) => {
    if (!isSuspended) return refuse('SV-3002', { message: 'The account is not suspended.' })
    await updateSuspended(tx, accountId, null)
    return resumeChecks(tx, accountId, nowMs)
  })

const change = (
  context: OperatorContext,
  accountId: string,
  action: string,
  act: (tx: Transaction, isSuspended: boolean, nowMs: number) => Promise<SuspendedCheck[] | Refusal>,
): Promise<Suspension | Refusal> => {
  const name = { action, resourceType: 'account', resourceId: () => accountId }
  return write(context, { accountId, ...operator }, name, async (tx) => {
    await beginManyChecks(tx)
    const found = await lockSuspendable(tx, accountId)
    if (found === null) return refuse('SV-3001')
    const nowMs = context.now()
    const changed = await act(tx, found.isSuspended, nowMs)
    if ('refused' in changed) return changed
    await openRevisions(
      tx,
      changed.map(({ id }) => id),
    )
    for (const { id, isHeartbeat } of changed) if (isHeartbeat) await rearmHeartbeat(tx, id, nowMs)
    return { account: found.account, checks: changed.length }
  })
}

/** The account, locked until the transaction ends, and whether it is suspended. */
const lockSuspendable = async (
  tx: Transaction,
  accountId: string,
): Promise<{ account: AccountRecord; isSuspended: boolean } | null> => {
  const account = await lockAccount(tx, accountId)
  if (account === null) return null
  const [row] = await tx<{ is_suspended: boolean }[]>`
    select suspended_at is not null as is_suspended from accounts where id = ${accountId}`
  return { account, isSuspended: row?.is_suspended ?? false }
}

/** @param suspendedAtMs null: the account is resumed */
const updateSuspended = async (
  tx: Transaction,
  accountId: string,
  suspendedAtMs: number | null,
): Promise<void> => {
  const at = suspendedAtMs === null ? null : new Date(suspendedAtMs)
  await tx`update accounts set suspended_at = ${at} where id = ${accountId}`
  // processes that receive error events look these keys up again
  await tx`
    select pg_notify('error_keys_changed', public_key) from error_keys
    where account_id = ${accountId} and revoked_at is null`
  // deliveries waited until the account is resumed
  await tx`select pg_notify('deliveries', '')`
}

type SuspendedCheck = { id: string; isHeartbeat: boolean }

/** Pauses the running checks of an account and marks them. */
const suspendChecks = async (
  tx: Transaction,
  accountId: string,
  nowMs: number,
): Promise<SuspendedCheck[]> => {
  const now = new Date(nowMs)
  return await tx<SuspendedCheck[]>`
    update checks set paused = true, suspended = true, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(updated_at, ${now})
    where account_id = ${accountId} and not paused
    returning id, type = 'heartbeat' as "isHeartbeat"`
}

/** Resumes the checks that ran before their account was suspended. */
const resumeChecks = async (tx: Transaction, accountId: string, nowMs: number): Promise<SuspendedCheck[]> => {
  const now = new Date(nowMs)
  return await tx<SuspendedCheck[]>`
    update checks set paused = false, suspended = false, revision = revision + 1,
      valid_from = greatest(valid_from, ${now}), updated_at = greatest(updated_at, ${now})
    where account_id = ${accountId} and suspended
    returning id, type = 'heartbeat' as "isHeartbeat"`
}
