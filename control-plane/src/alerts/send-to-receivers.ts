import { composeAlertMail } from './alert-mail.ts'
import type { ChannelMessage, DeliveryDraft } from '../notifications/message.ts'
import { findAddress, findReceivers } from './alert-messages-store.ts'
import type { Receiver } from './alert-messages-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { insertDeliveries } from '../notifications/deliveries-store.ts'

/** After this a message is no longer worth sending. */
const expiresMs = 86_400_000

/** Whom a rule notifies. */
type Receiving = {
  readonly accountId: string
  /** null: every channel. */
  readonly channelIds: readonly string[] | null
  readonly emailUsers: boolean
}

/**
 * Hands messages to delivery, for each receiver of a rule. What two rules tell one receiver is told once.
 */
export const sendToReceivers = async (
  tx: Transaction,
  rule: Receiving,
  messages: readonly { cause: string; message: ChannelMessage }[],
  nowMs: number,
): Promise<void> => {
  if (messages.length === 0) return
  const receivers = (await findReceivers(tx, [rule.accountId])).filter((each) =>
    isReceiver(rule, each),
  )
  const drafts: DeliveryDraft[] = []
  for (const receiver of receivers) {
    const address = await findAddress(tx, receiver)
    if (address === null) continue
    for (const each of messages) drafts.push(draftOf(receiver, address, each, nowMs))
  }
  await insertDeliveries(tx, drafts, nowMs)
}

const isReceiver = (rule: Receiving, { id, kind }: Receiver): boolean =>
  kind === 'mail' ? rule.emailUsers : rule.channelIds === null || rule.channelIds.includes(id)

const draftOf = (
  { id, accountId, kind }: Receiver,
  address: string,
  { cause, message }: { cause: string; message: ChannelMessage },
  nowMs: number,
): DeliveryDraft => {
  const shared = { accountId, cause: `${cause}:${id}`, expiresAtMs: nowMs + expiresMs }
  return kind === 'channel'
    ? { ...shared, kind, channelId: id, message }
    : { ...shared, kind, recipient: address, message: composeAlertMail(message) }
}
