import type { StreamConsumer } from '@probe-mesh/bus/port'
import type { Lease } from '../../stores/leases/leases-store.ts'

/** After it was taken nobody of a partition is called stale before its backlog had so long to be read, ms. */
const graceMs = 10_000

/** A partition while the assessor has it. */
export type Holding = {
  readonly lease: Lease
  readonly takenAtMs: number
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
  readonly consumer: StreamConsumer
  /** The last sequence judged and not acknowledged; null: none. */
  processed: number | null
  /** Checks that changed while all were being loaded: to be taken again; null once that is done. */
  changedWhileLoading: Set<string> | null
  /** Whether everything that waited at the taking has been read. */
  caughtUp: boolean
}

/** Whether silence in this partition is silence, and not a backlog. */
export const isSettled = (holding: Holding, nowMs: number): boolean =>
  holding.caughtUp && nowMs - holding.takenAtMs >= graceMs
