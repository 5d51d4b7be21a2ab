import type { ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { MinifiedStack } from './source-maps/minified-stack.ts'

/** What makes occurrences one issue, and what the issue is called. */
export type ErrorGrouping = {
  /** Of the algorithm: hashes of different versions are never compared. */
  version: number
  /** SHA-256, 64 lower-case hexadecimal digits. */
  hash: string
  title: string
  /** The function or the place that is blamed; null where none is known. */
  culprit: string | null
}

/** One event as it travels to the stores: scrubbed, grouped and within bounds. Times are Unix milliseconds. */
export type ErrorEvent = {
  /** 32 lower-case hexadecimal digits. */
  eventId: string
  projectId: string
  /** The client's, kept within the 30 days before `receivedAt`. */
  at: number
  receivedAt: number
  level: string
  platform: string
  release: string | null
  environment: string | null
  transaction: string | null
  /** Of the exception that was thrown last. */
  type: string | null
  /** Its value, or the message; empty where the event says neither. */
  message: string
  /** Where it was thrown comes first. */
  frames: ErrorFrame[]
  tags: Record<string, string>
  /** Everything else that is kept. At most `contextBytesMax` as JSON; what was cut is marked. */
  context: Record<string, unknown>
  grouping: ErrorGrouping
  /** Where a frame names a built file: what must be known besides to read it by its source map. */
  minified?: MinifiedStack
}

/**
 * An event's id in its one spelling, 32 lower-case hexadecimal digits; SDKs write it with dashes or
 * without. Undefined for what is none, and for the one of zeros, which SDKs use for "none". Pure.
 */
export const eventIdOf = (value: unknown): string | undefined => {
  if (typeof value !== 'string' || value.length > 36) return undefined
  const digits = value.replaceAll('-', '').toLowerCase()
  return /^[0-9a-f]{32}$/.test(digits) && !/^0+$/.test(digits) ? digits : undefined
}
