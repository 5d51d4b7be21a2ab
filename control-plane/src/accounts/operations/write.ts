import { isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertAudits } from './audit-store.ts'
import { repeatOnConflict } from '../../stores/postgres/conflict.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { markCarriedOut } from './idempotency-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { isStorable } from './claims.ts'
import type { AccountContext, RequestClaim, Writer } from './context.ts'

/** The audit entry of a write. */
export type WriteName<T> = {
  /** The name of the route or action. */
  action: string
  resourceType: string
  /** Several ids: an entry for each. null: nothing was written, and there is no audit entry. */
  resourceId: (written: T) => string | readonly string[] | null
  /**
   * The answer of the route, if the write determines it. It is stored with the write for a repeated request.
   * Without it a repeated request gets an error.
   */
  answer?: (written: T) => unknown
}

/**
 * One write of an account. One transaction contains the change, its audit entry, and the mark and answer on
 * the claim of the `Idempotency-Key`. A refusal writes nothing. The transaction is retried after a conflict
 * with a concurrent one (S-2413, S-2415).
 * @param context the whole context of the operation, which includes the counter of retries
 * @param work may run more than once, so its only effect must be its writes in the transaction
 * @throws if another request replaced the claim: this one exceeded its time limit
 */
export const write = <T>(
  context: WritingContext,
  writer: Writer,
  name: WriteName<T>,
  work: (tx: Transaction) => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  repeatOnConflict(
    () => writeOnce(context, writer, name, work),
    () => context.onWriteRepeated?.(),
  )

type WritingContext = Pick<AccountContext, 'sql' | 'now'> & Partial<Pick<AccountContext, 'onWriteRepeated'>>

const writeOnce = <T>(
  { sql, now }: WritingContext,
  writer: Writer,
  { action, resourceType, resourceId, answer }: WriteName<T>,
  work: (tx: Transaction) => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  inAccount(sql, writer.accountId, async (tx) => {
    const written = await work(tx)
    if (isRefusal(written)) return written
    const entry = { accountId: writer.accountId, action, resourceType }
    await insertAudits(tx, writer.actor, entry, [resourceId(written) ?? []].flat(), now())
    if (writer.claim !== undefined) {
      await carryOut(tx, writer.accountId, writer.claim, answer?.(written))
    }
    return written
  })

const carryOut = async (
  tx: Transaction,
  accountId: string,
  { id, success }: RequestClaim,
  output: unknown,
): Promise<void> => {
  const answer = output === undefined ? null : { status: success, body: JSON.stringify(output) }
  const storable = answer !== null && isStorable(answer) ? answer : null
  if (await markCarriedOut(tx, { accountId, claimId: id }, storable)) return
  throw new Error(`the claim ${id} was replaced by another request after its time limit`)
}
