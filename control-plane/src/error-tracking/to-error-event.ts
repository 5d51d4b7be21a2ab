import type { ErrorEvent } from './error-event.ts'
import { groupEvent } from './group/group-event.ts'
import type { RawEvent } from './raw-event.ts'

/** Bound of `ErrorEvent.context`, as JSON in UTF-8. */
export const contextBytesMax = 64 * 1024

/** A scrubbed event as it is stored: grouped, and cut to what is kept. Pure. */
export const toErrorEvent = (raw: RawEvent, projectId: string): ErrorEvent => ({
  eventId: raw.eventId,
  projectId,
  at: raw.at,
  receivedAt: raw.receivedAt,
  level: raw.level,
  platform: raw.platform,
  release: raw.release,
  environment: raw.environment,
  transaction: raw.transaction,
  type: null,
  message: raw.message ?? '',
  frames: [],
  tags: raw.tags,
  context: raw.context,
  grouping: groupEvent(raw),
})
