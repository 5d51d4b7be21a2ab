import type { CheckPlan } from '@probe-mesh/contracts/check/check-plan'
import type { RepeatableClient } from './repeatable-client.ts'

/** The writes of a key: left now, in a minute, and the seconds until a used one is free again. */
export type WriteBudget = Omit<CheckPlan['writes'], 'needed'>

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
