import { composeAlertMail } from './alert-message.ts'
import type { MailAction } from './alert-message.ts'
import type { ChannelMessage } from '../notifications/channels/forms/message.ts'
import type { DeliveryDraft } from '../notifications/delivery-record.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** A channel, or a user who is notified by mail. */
export type Receiver = { id: string; accountId: string; kind: 'channel' | 'mail' }

/** The channels and users of these accounts. Messages wait for a channel that is not verified. */
export const findReceivers = async (tx: Transaction, accountIds: readonly string[]): Promise<Receiver[]> => {
  const rows = await tx<{ id: string; account_id: string; kind: Receiver['kind'] }[]>`
    select id, account_id, 'channel' as kind from notification_channels
    where account_id = any(${[...accountIds]}::uuid[])
    union all
    select id, account_id, 'mail' as kind from users
    where account_id = any(${[...accountIds]}::uuid[])
    order by id`
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, kind: row.kind }))
}

/** The address of a receiver, locked until the transaction ends; null: the channel or user was deleted. */
export const findAddress = async (tx: Transaction, { id, kind }: Receiver): Promise<string | null> => {
  const rows =
    kind === 'channel'
      ? await tx<{ address: string }[]>`
          select id::text as address from notification_channels where id = ${id} for key share`
      : await tx<{ address: string }[]>`
          select email as address from users where id = ${id} for key share`
  return rows[0]?.address ?? null
}

/** Messages older than this are not sent. */
const expiresMs = 86_400_000

/** The receivers that a rule names. */
type RuleReceivers = {
  readonly accountId: string
  /** null: every channel. */
  readonly channelIds: readonly string[] | null
  readonly emailUsers: boolean
}

/**
 * Writes a delivery of each message to each receiver of a rule. Two rules with the same cause and receiver
 * write one.
 */
export const sendToReceivers = async (
  tx: Transaction,
  rule: RuleReceivers,
  messages: readonly { cause: string; message: ChannelMessage }[],
  nowMs: number,
): Promise<void> => {
  if (messages.length === 0) return
  const receivers = (await findReceivers(tx, [rule.accountId])).filter((each) => isReceiver(rule, each))
  const drafts: DeliveryDraft[] = []
  for (const receiver of receivers) {
    const address = await findAddress(tx, receiver)
    if (address === null) continue
    for (const { cause, message } of messages) {
      drafts.push(deliveryTo(receiver, address, { cause: `${cause}:${receiver.id}`, message }, nowMs))
    }
  }
  await insertDeliveries(tx, drafts, nowMs)
}

/** Whether a rule notifies a receiver of its account. */
export const isReceiver = (
  rule: Pick<RuleReceivers, 'channelIds' | 'emailUsers'>,
  { id, kind }: Receiver,
): boolean => (kind === 'mail' ? rule.emailUsers : rule.channelIds === null || rule.channelIds.includes(id))

/** A message as a delivery to a receiver at its address. */
export const deliveryTo = (
  { id, accountId, kind }: Receiver,
  address: string,
  { cause, message, action = null }: { cause: string; message: ChannelMessage; action?: MailAction | null },
  nowMs: number,
): DeliveryDraft => {
  const shared = { accountId, cause, expiresAtMs: nowMs + expiresMs }
  return kind === 'channel'
    ? { ...shared, kind, channelId: id, message }
    : { ...shared, kind, recipient: address, message: composeAlertMail(message, action) }
}
