import type { RepeatableClient } from './repeatable-client.ts'

/** What applying needs of the world. */
export type ApplyCapabilities = {
  client: RepeatableClient
  /** Aborted where the run is to end: after the call that is under way. */
  signal: AbortSignal
  /** Unix milliseconds. */
  now: () => number
  /** Rejects once `signal` is aborted. */
  pause: (ms: number) => Promise<void>
  /** Tells whoever watches what the run is doing: one line, without its end. */
  say: (line: string) => void
}
