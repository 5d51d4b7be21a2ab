import { isRefusal } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { insertAudit } from '../postgres/audit.ts'
import type { Transaction } from '../postgres/connect.ts'
import { markCarriedOut } from '../postgres/idempotency.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Writer } from './context.ts'

/** What a write is called in the audit log, and what it wrote. */
export type WriteName<T> = {
  /** The route's or act's name. */
  action: string
  resourceType: string
  /** null: it found nothing to write, and there is nothing to note. */
  resourceId: (written: T) => string | null
}

/**
 * One write of an account: what it changes and its row in the audit log are there together, or not at
 * all, and so is the mark on the claim that the request has on its `Idempotency-Key`. A refusal is
 * returned before anything is written.
 * @throws where another request has taken the claim over: this one was given up long ago
 */
export const write = <T>(
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { action, resourceType, resourceId }: WriteName<T>,
  work: (transaction: Transaction) => Promise<T | Refusal>,
): Promise<T | Refusal> =>
  inAccount(context.sql, writer.accountId, async (transaction) => {
    const written = await work(transaction)
    if (isRefusal(written)) return written
    const id = resourceId(written)
    if (id !== null) {
      const entry = { accountId: writer.accountId, action, resourceType, resourceId: id }
      await insertAudit(transaction, writer.actor, entry, context.now())
    }
    if (writer.claimId !== undefined) await carryOut(transaction, writer.accountId, writer.claimId)
    return written
  })

const carryOut = async (
  transaction: Transaction,
  accountId: string,
  claimId: string,
): Promise<void> => {
  if (await markCarriedOut(transaction, accountId, claimId)) return
  throw new Error(`the claim ${claimId} was taken over while its request was under way`)
}
