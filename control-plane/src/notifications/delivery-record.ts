import type { ChannelMessage } from './channels/forms/message.ts'
import type { MailMessage } from './mail/mail.ts'
import type { Delivery } from '@probe-mesh/contracts/channel/channel'

/** One message to one receiver, before it is stored. Drafts with the same `cause` are one delivery. */
export type DeliveryDraft = {
  cause: string
  expiresAtMs: number
  /** Whether other mail goes first: set for news to subscribers and for mail that visitors request. */
  bulk?: boolean
} &
  /** Sent for an account, or to a person without an account yet. */
  (
    | { kind: 'mail'; accountId: string | null; recipient: string; message: MailMessage }
    | { kind: 'channel'; accountId: string; channelId: string; message: ChannelMessage }
  )

/** `kept`: a mail that was not sent because SMTP_URL is not set. `dead`: failed permanently. */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'kept'

/** One message to one receiver, with its state. */
export type DeliveryRecord = {
  id: string
  state: DeliveryState
  attempts: number
  createdAtMs: number
  /** The time of the next attempt while it is pending. */
  nextAttemptAtMs: number
  expiresAtMs: number
  deliveredAtMs: number | null
  lastError: string | null
} & (
  | { kind: 'mail'; recipient: string; message: MailMessage }
  | { kind: 'channel'; channelId: string; channelName: string; message: ChannelMessage }
)

/** Replaces a text with a link that acts for its receiver: an account must not confirm for others. */
const privateText = 'The text is hidden because it contains a link for the receiver only.'

/**
 * A message and its state, as the dashboard shows them. The text of a private mail is shown only when it
 * was not sent: without a mail server it cannot be read elsewhere. A login link is shown to its user only.
 * @param reader the address of the member who reads
 */
export const describeDelivery = (delivery: DeliveryRecord, reader: string): Delivery => {
  const { kind, message } = delivery
  return {
    id: delivery.id,
    state: delivery.state,
    attempts: delivery.attempts,
    createdAt: new Date(delivery.createdAtMs).toISOString(),
    nextAttemptAt: delivery.state === 'pending' ? new Date(delivery.nextAttemptAtMs).toISOString() : null,
    expiresAt: new Date(delivery.expiresAtMs).toISOString(),
    deliveredAt: delivery.deliveredAtMs === null ? null : new Date(delivery.deliveredAtMs).toISOString(),
    lastError: delivery.lastError,
    ...(kind === 'mail'
      ? {
          kind,
          recipient: delivery.recipient,
          subject: message.subject,
          text: isHidden(delivery, reader) ? privateText : withoutTokens(message.text),
        }
      : {
          kind,
          channelId: delivery.channelId,
          channelName: delivery.channelName,
          subject: message.title,
          text: message.text,
        }),
  }
}

/** A personal link of an alert mail acts as its receiver: other members see that there is one. */
const withoutTokens = (text: string): string =>
  text.replaceAll(/(\/alerts\/acknowledge\?token=)[\w-]+/g, '$1…')

const isHidden = (
  { state, recipient, message }: Extract<DeliveryRecord, { kind: 'mail' }>,
  reader: string,
): boolean =>
  message.isPrivate === true &&
  (state !== 'kept' || (message.logsIn === true && recipient.toLowerCase() !== reader.toLowerCase()))
