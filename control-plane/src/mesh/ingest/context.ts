import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { CheckFacts, Directory } from './directory.ts'
import type { IngestMetrics } from './metrics.ts'
import type { OwnFaults } from './own-faults.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { PoisonShare } from '../../readings/poison-share.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { StoredSlots } from './stored-slots.ts'

/** The capabilities of the acts of ingest. */
export type IngestContext = {
  sql: Sql
  clickhouse: ClickHouse
  bus: Bus
  directory: Directory
  /** The partitions that this process has now. */
  holdings: ReadonlyMap<number, Holding>
  metrics: IngestMetrics
  decode: Decode
  /** What could not be read, as far as it is kept. */
  poison: PoisonShare
  ownFaults: OwnFaults
  log: Logger
  now: () => number
  /** Repeats while a store is away; gives up only when the loop is closing. */
  retry<T>(store: string, attempt: () => Promise<T>): Promise<T>
  /** What nobody waits for but whoever leaves a partition. Never rejects. */
  settleLater(work: Promise<void>): void
  /** Told of what has just been stored. */
  onStored(rows: readonly ReadingRow[], facts: ReadonlyMap<string, CheckFacts>): void
}

/**
 * A partition while ingest has it. What is remembered of its stored slots is true only as long as
 * nobody else stores: it goes with the lease.
 */
export type Holding = {
  readonly lease: Lease
  readonly consumer: StreamConsumer
  readonly slots: StoredSlots
  /** By agent: up to which of its batches everything of this partition is stored. */
  readonly marks: Map<string, number>
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
}

/** A message, and the holding that fetched it. */
export type Fetched<M> = { readonly holding: Holding; readonly message: M }
