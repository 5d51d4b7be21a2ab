import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { insertAudit } from './audit-store.ts'
import { repeatOnConflict } from '../stores/postgres/conflict.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { markCarriedOut } from './idempotency-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { isKept } from './claims.ts'
import type { AccountContext, RequestClaim, Writer } from './context.ts'

/** What a write is called in the audit log, and what it wrote. */
export type WriteName<T> = {
  /** The route's or act's name. */
  action: string
  resourceType: string
  /** null: it found nothing to write, and there is nothing to note. */
  resourceId: (written: T) => string | null
  /**
   * What the route answers, where that is known with the write. It is kept with it, for whoever sends
   * the same again and has had no answer; without it that one is told to read.
   */
  answer?: (written: T) => unknown
}

/**
 * One write of an account: what it changes and its row in the audit log are there together, or not at
 * all, and so is the mark on the claim that the request has on its `Idempotency-Key`, with the answer to it. A
 * refusal is returned before anything is written. All of it is done again where others beside it were in
 * its way (S-2413, S-2415).
 * @param context handed on whole by each verb, which need not know how repetitions are counted
 * @param work may run more than once: it has no effect but what it writes in the transaction
 * @throws where another request has taken the claim over: this one was given up long ago
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

type WritingContext = Pick<AccountContext, 'sql' | 'now'> &
  Partial<Pick<AccountContext, 'onWriteRepeated'>>

const writeOnce = <T>(
  { sql, now }: WritingContext,
  writer: Writer,
  { action, resourceType, resourceId, answer }: WriteName<T>,
  work: (tx: Transaction) => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  inAccount(sql, writer.accountId, async (tx) => {
    const written = await work(tx)
    if (isRefusal(written)) return written
    const id = resourceId(written)
    if (id !== null) {
      const entry = { accountId: writer.accountId, action, resourceType, resourceId: id }
      await insertAudit(tx, writer.actor, entry, now())
    }
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
  const kept = answer !== null && isKept(answer) ? answer : null
  if (await markCarriedOut(tx, { accountId, claimId: id }, kept)) return
  throw new Error(`the claim ${id} was taken over while its request was under way`)
}
