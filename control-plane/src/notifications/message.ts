/** A letter, without its addresses. Plain text always; HTML says the same. */
export type MailMessage = {
  subject: string
  text: string
  html: string
  /** One-click unsubscribe (RFC 8058): where the receiver's program posts to. */
  unsubscribeUrl?: string
  /** Carries a link that acts for whoever has it: for its receiver's eyes only. */
  isPrivate?: true
}

/** What is sent over a channel: the same for every type, each of which has its own form for it. */
export type ChannelMessage = {
  event: 'alert' | 'reminder' | 'recovery' | 'digest' | 'test'
  /** One line: what happened. */
  title: string
  /** Where, since when, by what evidence, and what was not measured. Plain text. */
  text: string
  facts: readonly { name: string; value: string }[]
  /** Where to look. */
  url: string
  /** ISO 8601 UTC: when it happened, which is not when it is sent. */
  at: string
  /** The same for an alert, its reminders and its recovery: receivers close by it what they opened. */
  alertKey: string
}

/** One message to one receiver, before it is written. `cause` written twice is one delivery. */
export type DeliveryDraft = {
  cause: string
  expiresAtMs: number
  /** Whether it waits behind other mail: news for subscribers, what strangers asked for. */
  bulk?: boolean
} &
  /** Of an account, or to somebody who has none yet. */
  (
    | { kind: 'mail'; accountId: string | null; recipient: string; message: MailMessage }
    | { kind: 'channel'; accountId: string; channelId: string; message: ChannelMessage }
  )
