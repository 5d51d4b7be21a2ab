/** A place in the code as an SDK sent it, in one spelling. */
export type RawFrame = {
  file: string | null
  module: string | null
  function: string | null
  line: number | null
  column: number | null
  /** null where the SDK does not say. */
  inApp: boolean | null
  /** The line of source at this place. */
  source: string | null
  /** Variables of this frame; null where none were sent. */
  variables: unknown
  /** Of the built file that it is in, by which its source map is found; null where the SDK names none. */
  debugId: string | null
}

export type RawException = {
  type: string | null
  value: string | null
  module: string | null
  /** Where it was thrown comes first. */
  frames: RawFrame[]
}

/**
 * An event as an SDK sent it, in one spelling and without bounds on its texts. It may hold secrets:
 * `scrubEvent` comes before anything else is done with it. Times are Unix milliseconds.
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
  /** What a person reads. */
  message: string | null
  /** The same before its parameters were put in; null where there were none. */
  template: string | null
  /** The one that was thrown last comes last, what caused it before it. */
  exceptions: RawException[]
  /** A stack that belongs to no exception. Where it was thrown comes first. */
  frames: RawFrame[]
  /** By which the client wants to group; null where it leaves that to us. */
  fingerprint: string[] | null
  tags: Record<string, string>
  /** Request, user, breadcrumbs, contexts, extra and what else is kept as it came. */
  context: Record<string, unknown>
  /** Fields that were of no use, such as `release` where it is a list: what they held is lost. */
  unreadable: string[]
  /** Parts of which something was cut before anything was looked for in them. */
  truncated: string[]
}
