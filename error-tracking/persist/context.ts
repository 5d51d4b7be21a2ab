import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import type { PoisonShare } from '@probe-mesh/control-plane/src/readings/poison-share'
import type { SetAside } from '@probe-mesh/control-plane/src/readings/poison'
import type { FirstReader } from '@probe-mesh/control-plane/src/readings/first-read/first-reader'
import type { MapCache } from './map-cache.ts'
import type { PersistMetrics } from './metrics.ts'
import type { AskedStore } from '@probe-mesh/control-plane/src/stores/retry'

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
