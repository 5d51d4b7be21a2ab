import type { ErrorGrouping } from './group/group-event.ts'
import type { ErrorFrame } from '@probe-mesh/contracts/error-tracking/error-tracking'
import type { MinifiedStack } from './source-maps/minified-stack.ts'

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
