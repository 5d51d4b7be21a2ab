/** A stack frame from an SDK in a uniform format. */
export type RawFrame = {
  file: string | null
  module: string | null
  function: string | null
  line: number | null
  column: number | null
  /** null if the SDK does not mark frames. */
  inApp: boolean | null
  /** The source line of the frame. */
  source: string | null
  /** The lines before and after `source`. Absent without them. */
  around?: { before: readonly string[]; after: readonly string[] }
  /** The variables of the frame; null without them. */
  variables: unknown
  /** The debug id of its built file, which finds the source map; null without one. */
  debugId: string | null
}

export type RawException = {
  type: string | null
  value: string | null
  module: string | null
  /** Whether the program caught it. Absent if the SDK does not report it. */
  handled?: boolean
  /** The throwing frame comes first. */
  frames: RawFrame[]
}

/**
 * An event from an SDK in a uniform format, with texts of any length. It can contain secrets, so it must pass
 * `scrubEvent` before it is logged or stored. Times are Unix milliseconds.
 */
export type RawEvent = {
  /** 32 lower-case hexadecimal digits. */
  eventId: string
  at: number
  receivedAt: number
  level: string
  platform: string
  release: string | null
  environment: string | null
  transaction: string | null
  /** The formatted message. */
  message: string | null
  /** The message before its parameters were inserted; null without parameters. */
  template: string | null
  /** Causes come first, the last exception comes last. */
  exceptions: RawException[]
  /** A stack without an exception. The newest frame comes first. */
  frames: RawFrame[]
  /** The client's grouping; null: default grouping. */
  fingerprint: string[] | null
  tags: Record<string, string>
  /** Request, user, breadcrumbs, contexts, extra and other data in their original form. */
  context: Record<string, unknown>
  /** Names of lost fields with an invalid type, such as a list for `release`. */
  unreadable: string[]
  /** Names of parts that were cut before the scrubbing. */
  truncated: string[]
}
