import type { DeliveryRecord, DeliveryState } from './delivery-record.ts'
import { findDeliveries, lockDelivery, requeueDelivery } from './deliveries-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller, Writer } from '../accounts/operations/context.ts'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { write } from '../accounts/operations/write.ts'

const deliveriesPageMax = 200

/**
 * An account's messages, newest first: pending, delivered, failed permanently, and mail that was not sent
 * because SMTP_URL is not set.
 * @param input.before the id of the last message of the previous page
 */
export const listDeliveries = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  input: { state?: DeliveryState; before?: string; limit?: number },
): Promise<{ deliveries: DeliveryRecord[] }> => {
  const limit = Math.max(1, Math.min(input.limit ?? deliveriesPageMax, deliveriesPageMax))
  const page = { state: input.state ?? null, before: input.before ?? null, limit }
  const deliveries = await inAccount(context.sql, accountId, (tx) => findDeliveries(tx, accountId, page))
  return { deliveries }
}

/** A message that a person sends again expires after this time. */
const retriedMsMax = 24 * 3_600_000

/**
 * Sends a message again that failed permanently or was not sent, under the same id. Refused: an unknown
 * message SV-3001, a pending or delivered one SV-3002.
 */
export const retryDelivery = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { id }: { id: string },
): Promise<{ id: string; state: 'pending' } | Refusal> => {
  const audit = { action: 'retryDelivery', resourceType: 'delivery', resourceId: () => id }
  return write(context, writer, audit, async (tx) => {
    const delivery = await lockDelivery(tx, writer.accountId, id)
    if (delivery === null) return refuse('SV-3001')
    if (delivery.state === 'pending' || delivery.state === 'delivered') {
      const what = delivery.state === 'pending' ? 'is still pending' : 'was already delivered'
      return refuse('SV-3002', { message: `The message ${what}.` })
    }
    const nowMs = context.now()
    await requeueDelivery(tx, id, { nowMs, expiresAtMs: nowMs + retriedMsMax })
    return { id, state: 'pending' } as const
  })
}
