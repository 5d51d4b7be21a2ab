import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { PoisonShare } from '../../readings/poison-share.ts'
import type { SetAside } from '../../readings/poison.ts'
import type { FirstReader } from '../../readings/first-read/first-reader.ts'
import type { MapCache } from './map-cache.ts'
import type { PersistMetrics } from './metrics.ts'
import type { AskedStore } from '../../stores/retry.ts'

/** The steps of a batch. A persister can crash after each. */
export type PersistStep = 'fetched' | 'recorded' | 'inserted' | 'counted' | 'acknowledged'

/** The capabilities of the persister for one partition, while it owns the lease. */
export type PersistContext = {
  sql: Sql
  clickhouse: ClickHouse
  bus: Pick<Bus, 'errors'>
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Base of links in mails; absent: no links. */
  publicUrl?: string | undefined
  metrics: PersistMetrics
  log: Logger
  now: () => number
  lease: Lease
  consumer: StreamConsumer
  /** Shared by all partitions of the process. */
  maps: MapCache
  /** Messages that are skipped. */
  setAside: SetAside
  firstReader: FirstReader
  /** Limits the stored poison messages. */
  poison: PoisonShare
  /** Retries while a database or the bus is unavailable, until the partition is released. */
  retry<T>(store: AskedStore, attempt: () => Promise<T>): Promise<T>
  /** @param storedAtMs when the stream stored the first message of the batch, Unix ms */
  onBatchStart(storedAtMs: number): void
  /** Called when the batch is counted. */
  onBatchEnd(): void
  /** Called after each step, so that tests can stop there. */
  onStep(step: PersistStep): Promise<void>
}
