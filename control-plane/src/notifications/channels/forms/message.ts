/** A message to a channel. Each type of channel has its own format for it. */
export type ChannelMessage = {
  event: 'alert' | 'reminder' | 'recovery' | 'acknowledged' | 'resolved' | 'digest' | 'test'
  /** One line: what happened. */
  title: string
  /** Where, since when, the evidence, and what was not measured. Plain text. */
  text: string
  /** `at`: the instant, ISO 8601 UTC, of a fact that is a time. */
  facts: readonly { name: string; value: string; at?: string }[]
  /** A link to the details. */
  url: string
  /** ISO 8601 UTC: when it happened, not when it is sent. */
  at: string
  /** The same for an alert, its reminders and its recovery, so that receivers can close what they opened. */
  alertKey: string
}
