import type { Bus } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { startAssessor } from './assess/assessor.ts'
import { createBook } from './assess/book.ts'
import { createConfirmer } from './assess/confirmer.ts'
import { assessMetrics } from './assess/metrics.ts'
import { busMetrics } from './bus-metrics.ts'
import { assignmentOf } from './checks/assignment-of.ts'
import { startAssigner } from './assign/assigner.ts'
import { connectClickHouse } from './clickhouse/connect.ts'
import { migrateClickHouse } from './clickhouse/migrate.ts'

import type { Config } from './config.ts'
import { createApp } from './http/app.ts'
import { createDirectory, factsAgeMsMax } from './ingest/directory.ts'
import { startIngester } from './ingest/ingester.ts'
import { startLedger } from './ledger/ledger.ts'
import { startLeaseKeeper } from './lease/keeper.ts'
import { openLiveReadings } from './live-readings.ts'
import { startNotifier } from './notify/notifier.ts'
import { findCheckOfAnyAccount } from './postgres/assignable-checks.ts'
import { connectLeaseSession, connectPostgres } from './postgres/connect.ts'
import type { Sql } from './postgres/connect.ts'
import { migratePostgres } from './postgres/migrate.ts'
import { startPurger } from './purge/purger.ts'
import { createDecodeOnce } from './readings/decode-once.ts'
import { startWatcher } from './watch/watcher.ts'

/** Longer than ingest may believe in a deleted check, batches under way included. */
const purgeDelayMs = factsAgeMsMax + 15_000

export type ControlPlane = {
  /** Ready to listen; whoever listens closes it before `close`. */
  app: ReturnType<typeof createApp>
  sql: Sql
  /** What `/readyz` says while everything works: no until somebody says yes, and no again to stop. */
  setServing(serving: boolean): void
  close(): Promise<void>
}

/**
 * Everything the control plane runs, wired: the loops of the path and the HTTP side over them.
 * Resolves when the stores are migrated and every check is on the bus.
 */
export const startControlPlane = async (capabilities: {
  config: Config
  databaseUrl: string
  clickhouseUrl: string
  bus: Bus
  registry: Registry
  log: Logger
  now: () => number
  vantage: 'local' | 'regional'
}): Promise<ControlPlane> => {
  const { config, bus, registry, log, now } = capabilities
  const sql = connectPostgres(capabilities.databaseUrl)
  const clickhouse = connectClickHouse(capabilities.clickhouseUrl)
  await Promise.all([migratePostgres(sql), migrateClickHouse(clickhouse)])

  const directory = createDirectory({ sql, tiers: config.tiers, now })
  const book = createBook(now)
  const metrics = assessMetrics(registry, book)
  const confirmer = createConfirmer({
    bus,
    metrics,
    log,
    now,
    assignmentFor: async (checkId, region) => {
      const check = await findCheckOfAnyAccount(sql, checkId)
      return check === null ? null : assignmentOf(check, region)
    },
  })
  const shared = { sql, clickhouse, bus, registry, log, now, decode: createDecodeOnce() }
  const live = await openLiveReadings({ events: bus.events, now })
  const ingester = startIngester({
    ...shared,
    directory,
    onStored: live.tell,
  })
  const assessor = startAssessor({ ...shared, book, confirmer, metrics })
  const session = connectLeaseSession(capabilities.databaseUrl)
  const leases = startLeaseKeeper({
    session,
    id: uuidv7(now()),
    tenants: [ingester, assessor],
    registry,
    log,
    monotonic: () => performance.now(),
  })
  busMetrics(registry, {
    bus,
    regions: config.regions,
    consumers: { ingest: ingester.holdings, assess: assessor.holdings },
  })
  const ledger = startLedger({ ...shared, isOurs: () => leases.held.has(0) })
  const notifier = await startNotifier(shared)
  const purger = startPurger({ ...shared, delayMs: purgeDelayMs })
  const assigner = await startAssigner({
    ...shared,
    liveRegions: config.regions,
    onChanged: async (checkId) => {
      directory.forget(checkId)
      await assessor.reload(checkId)
    },
  })

  let serving = false
  const watcher = startWatcher({ ...shared, isServing: () => serving })
  const app = createApp(
    {
      ...shared,
      vantage: capabilities.vantage,
      readiness: {
        serving: () => serving,
        postgres: async () => (await sql`select 1`).length === 1,
        clickhouse: async () => (await clickhouse.ping({ select: true })).success,
        assignments: () => assigner.isCurrent(),
      },
    },
    config,
  )
  return {
    app,
    sql,
    setServing: (value) => {
      serving = value
    },
    close: async () => {
      await assigner.close()
      await leases.close()
      await Promise.all([ingester.close(), assessor.close()])
      await Promise.all([
        confirmer.close(),
        notifier.close(),
        purger.close(),
        ledger.close(),
        watcher.close(),
        live.close(),
      ])
      await Promise.all([sql.end({ timeout: 5 }), session.end({ timeout: 5 }), clickhouse.close()])
    },
  }
}
