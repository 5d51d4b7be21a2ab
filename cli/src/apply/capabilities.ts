import type { RepeatableClient } from './repeatable-client.ts'

/** What applying needs of its environment. */
export type ApplyCapabilities = {
  client: RepeatableClient
  /** Aborted to end the run after the call in progress. */
  signal: AbortSignal
  /** Unix milliseconds. */
  now: () => number
  /** Rejects once `signal` is aborted. */
  pause: (ms: number) => Promise<void>
  /** Reports progress: one line, without its newline. */
  report: (line: string) => void
}
