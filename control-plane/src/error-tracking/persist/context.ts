import type { Bus, StreamConsumer } from '@probe-mesh/bus/port'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import type { PoisonShare } from '../../readings/poison-share.ts'
import type { SetAside } from '../../readings/poison.ts'
import type { TrialReader } from '../../readings/trial/trial-reader.ts'
import type { MapCache } from './map-cache.ts'
import type { PersistMetrics } from './metrics.ts'

/** Points between which a persister may die. */
export type PersistStep = 'fetched' | 'recorded' | 'inserted' | 'counted' | 'acknowledged'

/** The capabilities of the acts of the persister, for one partition while it has it. */
export type PersistContext = {
  sql: Sql
  clickhouse: ClickHouse
  bus: Pick<Bus, 'errors'>
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Where letters lead; absent: nowhere. */
  publicUrl?: string | undefined
  metrics: PersistMetrics
  log: Logger
  now: () => number
  lease: Lease
  consumer: StreamConsumer
  /** Of all partitions of the process. */
  maps: MapCache
  /** Messages that are not read. */
  setAside: SetAside
  trial: TrialReader
  /** What could not be read, as far as it is kept. */
  poison: PoisonShare
  /** Repeats while a store is away; gives up only when the partition is left. */
  retry<T>(store: string, attempt: () => Promise<T>): Promise<T>
  /** A batch is under way whose first message the stream took then, Unix ms. */
  begins(storedAtMs: number): void
  /** The batch under way is counted. */
  ends(): void
  /** Called after each step: tests die there. */
  onStep(step: PersistStep): Promise<void>
}
