import type { WriteBudget } from './pace.ts'
import type { RepeatableClient } from './repeatable-client.ts'

/** What applying needs of its environment. */
export type ApplyCapabilities = {
  client: RepeatableClient
  /** The writes that the key has; null: unknown until the first answer. */
  budget: WriteBudget | null
  /** Aborted to end the run after the call in progress. */
  signal: AbortSignal
  /** Unix milliseconds. */
  now: () => number
  /** Rejects once `signal` is aborted. */
  pause: (ms: number) => Promise<void>
  /** Reports progress: one line, without its newline. */
  report: (line: string) => void
}
