import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { CheckFacts, FactsOfChecks } from './check-facts.ts'
import type { IngestMetrics } from './metrics.ts'
import type { OwnFaults } from './own-faults.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { PoisonShare } from '../../readings/poison-share.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { BatchRecords } from './ingest-batches-store.ts'
import type { ReadingTables } from './reading-tables.ts'
import type { StoredSlots } from './stored-slots.ts'
import type { AskedStore } from '../../stores/retry.ts'

/** The shared parts of ingest. */
export type IngestContext = {
  records: BatchRecords
  tables: ReadingTables
  bus: Bus
  factsOfChecks: FactsOfChecks
  /** The partitions that this process owns now. */
  holdings: ReadonlyMap<number, Holding>
  metrics: IngestMetrics
  decode: Decode
  /** Keeps unreadable messages, up to a share for each sender. */
  poison: PoisonShare
  ownFaults: OwnFaults
  log: Logger
  now: () => number
  /** Retries while a store is unavailable, until the loop closes. */
  retry<T>(store: AskedStore, attempt: () => Promise<T>): Promise<T>
  /** Work that only the end of a partition waits for. Never rejects. */
  settleLater(work: Promise<void>): void
  /** Receives the rows that were just stored. */
  onStored(rows: readonly ReadingRow[], facts: ReadonlyMap<string, CheckFacts>): void
}

/**
 * A partition that ingest owns. Its memory of stored slots is valid only while no other process stores, so it
 * ends with the lease.
 */
export type Holding = {
  readonly lease: Lease
  readonly consumer: StreamConsumer
  readonly slots: StoredSlots
  /** By agent: the last batch up to which everything of this partition is stored. */
  readonly marks: Map<string, number>
  /** Aborted when the partition is left. */
  readonly signal: AbortSignal
}

/** A message, and the owned partition that fetched it. */
export type Fetched<M> = { readonly holding: Holding; readonly message: M }
