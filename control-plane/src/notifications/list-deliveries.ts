import type { DeliveryRecord, DeliveryState } from './delivery-record.ts'
import { findDeliveries } from './deliveries-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'

const deliveriesPageMax = 200

/**
 * An account's messages, newest first: what waits, was taken, was given up, and mail that was not
 * sent since no SMTP_URL is set.
 * @param input.before the id of the last one that is known already
 */
export const listDeliveries = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  input: { state?: DeliveryState; before?: string; limit?: number },
): Promise<{ deliveries: DeliveryRecord[] }> => {
  const limit = Math.max(1, Math.min(input.limit ?? deliveriesPageMax, deliveriesPageMax))
  const page = { state: input.state ?? null, before: input.before ?? null, limit }
  const deliveries = await inAccount(context.sql, accountId, (tx) =>
    findDeliveries(tx, accountId, page),
  )
  return { deliveries }
}
