import type { AccountEvent } from '@probe-mesh/contracts/events'
import type { Settings } from './settings.ts'

/**
 * Follows `GET /v1/events` until the signal ends it, connecting anew where the stream breaks off.
 * What happens meanwhile is not told later: whoever follows reads anew on `connected`.
 * @throws where the API refuses the stream, or the signal ends it
 */
export type FollowEvents = (following: {
  settings: Settings
  /** Without a bound on the time of an answer. */
  fetch: typeof fetch
  signal: AbortSignal
  onEvent(event: AccountEvent): void
  onState(state: 'connected' | 'reconnecting'): void
  pause(ms: number): Promise<void>
  /** Unix milliseconds. */
  now(): number
}) => Promise<void>
