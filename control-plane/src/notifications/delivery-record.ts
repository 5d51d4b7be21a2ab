import type { ChannelMessage, MailMessage } from './message.ts'

/** `kept`: a mail that was not sent, since no SMTP_URL is set. */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'kept'

/** One message to one receiver, and what became of it. */
export type DeliveryRecord = {
  id: string
  state: DeliveryState
  attempts: number
  createdAtMs: number
  /** When it is tried next, where it waits. */
  nextAttemptAtMs: number
  expiresAtMs: number
  deliveredAtMs: number | null
  lastError: string | null
} & (
  | { kind: 'mail'; recipient: string; message: MailMessage }
  | { kind: 'channel'; channelId: string; channelName: string; message: ChannelMessage }
)
