import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { AssessmentState } from './assessment-state.ts'
import type { CertificateWriter } from './certificate-writer.ts'
import type { Confirmer } from './confirmer.ts'
import type { AssessMetrics } from './metrics.ts'
import type { ProviderWriter } from './provider-writer.ts'
import type { RegionWatch } from './region-watch.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { StreamConsumer } from '@probe-mesh/bus/port'
import type { Lease } from '../../stores/leases/leases-store.ts'

/** The shared parts of the assessor. */
export type AssessContext = {
  sql: Sql
  assessmentState: AssessmentState
  /** Compares the regions by every reading, as measured. */
  watch: RegionWatch
  confirmer: Confirmer
  metrics: AssessMetrics
  /** The partitions that this process owns now. */
  holdings: ReadonlyMap<number, Holding>
  decode: Decode
  /** Receives every judged reading, in the order of the stream. It must not throw. */
  onReadings?(readings: readonly Reading[]): void
  readonly certificates?: Pick<CertificateWriter, 'note'>
  readonly providers?: Pick<ProviderWriter, 'note'>
  log: Logger
  now: () => number
  /** Retries while Postgres is unavailable, until the loop closes. */
  retry<T>(attempt: () => Promise<T>): Promise<T>
}

/** The assessor applies the passage of time to checks at this pace. */
export const sweepMs = 1_000

/**
 * After a partition was acquired, no check is called stale until its backlog had this long to be read, ms.
 */
const graceMs = 10_000

/** A partition that the assessor owns. */
export type Holding = {
  readonly lease: Lease
  readonly takenAtMs: number
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
  readonly consumer: StreamConsumer
  /** The last sequence judged but not acknowledged; null: none. */
  processed: number | null
  /** Checks that changed while all were being loaded, to be loaded again; null once that is done. */
  changedWhileLoading: Set<string> | null
  /** Whether the backlog at the time of the acquisition has been read. */
  caughtUp: boolean
}

/** Whether a missing reading in this partition is really missing, and not in the backlog. */
export const isSettled = (holding: Holding, nowMs: number): boolean =>
  holding.caughtUp && nowMs - holding.takenAtMs >= graceMs
