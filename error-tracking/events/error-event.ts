import type { ErrorGrouping } from './group/group-event.ts'
import type { ErrorFrame } from '../contracts/error-tracking.ts'
import type { MinifiedStack } from './source-maps/minified-stack.ts'

/** One event on the stream: scrubbed, grouped and truncated. Times are Unix milliseconds. */
export type ErrorEvent = {
  /** 32 lower-case hexadecimal digits. */
  eventId: string
  projectId: string
  /** The client's time, limited to the 30 days before `receivedAt`. */
  at: number
  receivedAt: number
  level: string
  platform: string
  release: string | null
  environment: string | null
  transaction: string | null
  /** The type of the last exception. */
  type: string | null
  /** The value of the last exception, or the message; empty without both. */
  message: string
  /** The throwing frame comes first. */
  frames: ErrorFrame[]
  tags: Record<string, string>
  /** All other stored data, at most `contextBytesMax` as JSON. Cuts are marked. */
  context: Record<string, unknown>
  grouping: ErrorGrouping
  /** For events with minified frames: further data for source maps and grouping. */
  minified?: MinifiedStack
}
