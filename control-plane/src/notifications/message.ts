/** A mail without its addresses, as plain text and as HTML with the same content. */
export type MailMessage = {
  subject: string
  text: string
  html: string
  /** One-click unsubscribe (RFC 8058): the URL that the mail program posts to. */
  unsubscribeUrl?: string
  /** The mail has a link that acts for its holder: only the receiver may see it. */
  isPrivate?: true
}

/** A message to a channel. Each type of channel has its own format for it. */
export type ChannelMessage = {
  event: 'alert' | 'reminder' | 'recovery' | 'digest' | 'test'
  /** One line: what happened. */
  title: string
  /** Where, since when, the evidence, and what was not measured. Plain text. */
  text: string
  facts: readonly { name: string; value: string }[]
  /** A link to the details. */
  url: string
  /** ISO 8601 UTC: when it happened, not when it is sent. */
  at: string
  /** The same for an alert, its reminders and its recovery, so that receivers can close what they opened. */
  alertKey: string
}

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
