import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { CheckFacts, Directory } from './directory.ts'
import type { Holding } from './holding.ts'
import type { IngestMetrics } from './metrics.ts'
import type { OwnFaults } from './own-faults.ts'
import type { Decode } from '../../readings/decode-once.ts'
import type { PoisonShare } from '../../readings/poison-share.ts'

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
