import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { type DeliveryRecord, type DeliveryState, type DeliveryDraft } from './delivery-record.ts'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/**
 * Writes deliveries, in the transaction of their cause. A delivery that exists for the same cause stays
 * unchanged.
 */
export const insertDeliveries = async (
  db: Connection,
  drafts: readonly DeliveryDraft[],
  nowMs: number,
): Promise<void> => {
  if (drafts.length === 0) return
  const rows = drafts.map((draft) => ({
    id: uuidv7(nowMs),
    account_id: draft.accountId,
    kind: draft.kind,
    channel_id: draft.kind === 'channel' ? draft.channelId : null,
    recipient: draft.kind === 'mail' ? draft.recipient : null,
    cause: draft.cause,
    bulk: draft.bulk ?? false,
    message: draft.message,
    expires_at: new Date(draft.expiresAtMs).toISOString(),
  }))
  await db`
    insert into deliveries (id, account_id, kind, channel_id, recipient, cause, bulk, message,
      next_attempt_at, expires_at, created_at)
    select id, account_id, kind, channel_id, recipient, cause, bulk, message, ${new Date(nowMs)}::timestamptz,
      expires_at, ${new Date(nowMs)}::timestamptz
    from jsonb_to_recordset(${db.json(rows)}) as d (id uuid, account_id uuid, kind text,
      channel_id uuid, recipient text, cause text, bulk boolean, message jsonb, expires_at timestamptz)
    on conflict (cause) do nothing`
  await db`select pg_notify('deliveries', '')`
}

/** Constraints of the table ensure the columns of each kind, and `insertDeliveries` its message. */
const deliveries = (db: Connection) => db`
    select deliveries.id, deliveries.kind, state, recipient, channel_id as "channelId",
      notification_channels.name as "channelName", message, attempts,
      ${epochMs(db, 'deliveries.created_at')} as "createdAtMs",
      ${epochMs(db, 'next_attempt_at')} as "nextAttemptAtMs", ${epochMs(db, 'expires_at')} as "expiresAtMs",
      ${epochMs(db, 'delivered_at')} as "deliveredAtMs", last_error as "lastError"
    from deliveries left join notification_channels
      on notification_channels.id = deliveries.channel_id`

/** An account's messages, newest first. */
export const findDeliveries = async (
  db: Connection,
  accountId: string,
  { state, before, limit }: { state: DeliveryState | null; before: string | null; limit: number },
): Promise<DeliveryRecord[]> =>
  await db<DeliveryRecord[]>`
    ${deliveries(db)}
    where deliveries.account_id = ${accountId}
      and (${state}::text is null or deliveries.state = ${state})
      and (${before}::uuid is null
        or deliveries.sequence < (select sequence from deliveries where id = ${before}))
    order by deliveries.sequence desc limit ${limit}`

/** One message of an account, locked until the transaction ends. */
export const lockDelivery = async (
  tx: Transaction,
  accountId: string,
  deliveryId: string,
): Promise<DeliveryRecord | null> => {
  const [row] = await tx<DeliveryRecord[]>`
    ${deliveries(tx)}
    where deliveries.id = ${deliveryId} and deliveries.account_id = ${accountId}
    for update of deliveries`
  return row ?? null
}

/** Marks the pending mails of an account to an address as failed, except news for subscribers. */
export const failPendingMails = async (
  tx: Transaction,
  { accountId, email }: { accountId: string; email: string },
  reason: string,
): Promise<void> => {
  await tx`
    update deliveries set state = 'dead', claimed_until = null, last_error = ${reason}
    where account_id = ${accountId} and state = 'pending' and kind = 'mail' and not bulk
      and lower(recipient) = lower(${email})`
}

/** Queues a failed message again behind all pending ones, under its id. */
export const requeueDelivery = async (
  tx: Transaction,
  deliveryId: string,
  { nowMs, expiresAtMs }: { nowMs: number; expiresAtMs: number },
): Promise<void> => {
  await tx`
    update deliveries set state = 'pending', attempts = 0, sequence = default,
      claimed_until = null, next_attempt_at = ${new Date(nowMs)},
      expires_at = ${new Date(expiresAtMs)}
    where id = ${deliveryId}`
  await tx`select pg_notify('deliveries', '')`
}
