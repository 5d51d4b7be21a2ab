import type { Reading } from '@probe-mesh/contracts/reading/reading'
import type { Logger } from 'pino'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Book } from './assessment-state.ts'
import type { CertificateKeeper } from './certificate-writer.ts'
import type { Confirmer } from './confirmer.ts'
import type { AssessMetrics } from './metrics.ts'
import type { RegionWatch } from './region-watch.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { StreamConsumer } from '@probe-mesh/bus/port'
import type { Lease } from '../../stores/leases/leases-store.ts'

/** The capabilities of the acts of assessing. */
export type AssessContext = {
  sql: Sql
  book: Book
  /** Watches the regions by every reading as it was measured. */
  watch: RegionWatch
  confirmer: Confirmer
  metrics: AssessMetrics
  /** The partitions that this process has now. */
  holdings: ReadonlyMap<number, Holding>
  decode: Decode
  /** Told what was taken, in the order it was. It must not throw. */
  onReadings?(readings: readonly Reading[]): void
  readonly certificates?: Pick<CertificateKeeper, 'take'>
  log: Logger
  now: () => number
  /** Repeats while Postgres is away; gives up only when the loop is closing. */
  retry<T>(attempt: () => Promise<T>): Promise<T>
}

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
