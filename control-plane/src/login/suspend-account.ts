import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { AccountRecord } from '../accounts/accounts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { beginManyChecks, openRevisions } from '../check-record/many-checks-store.ts'
import {
  lockSuspendable,
  resumeChecks,
  suspendChecks,
  updateSuspended,
} from '../accounts/suspended-accounts-store.ts'
import type { SuspendedCheck } from '../accounts/suspended-accounts-store.ts'
import { operator } from '../operations/context.ts'
import type { OperatorContext } from '../operations/context.ts'
import { rearmHeartbeat } from '../heartbeats/change-heartbeat.ts'
import { write } from '../operations/write.ts'

export type Suspension = { account: AccountRecord; checks: number }

/**
 * An operator's act. Keys, sessions, agents and error events of the account are refused and its channels and
 * mails are silent, all within 5 s on every control plane. Its running checks are paused, so that nothing
 * of them is due; its status pages can still be read (S-2110).
 */
export const suspendAccount = (
  context: OperatorContext,
  { accountId }: { accountId: string },
): Promise<Suspension | Refusal> =>
  change(context, accountId, 'suspendAccount', async (tx, isSuspended, nowMs) => {
    if (isSuspended) return refuse('SV-3002', { message: 'The account is suspended already.' })
    await updateSuspended(tx, accountId, nowMs)
    return suspendChecks(tx, accountId, nowMs)
  })

/** An operator's act: the account may do again what it could, and the checks run that ran before. */
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
  act: (
    tx: Transaction,
    isSuspended: boolean,
    nowMs: number,
  ) => Promise<SuspendedCheck[] | Refusal>,
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
