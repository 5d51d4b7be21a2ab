import type { Bus } from '@probe-mesh/bus/port'
import type { AccountEvent } from '@probe-mesh/contracts/events'
import { partitions } from '@probe-mesh/contracts/partition'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { startAssessor } from './assess/assessor.ts'
import { createBook } from './assess/book.ts'
import { createConfirmer } from './assess/confirmer.ts'
import { assessMetrics } from './assess/metrics.ts'
import { assignmentOf } from './checks/assignment-of.ts'
import { startAssigner } from './assign/assigner.ts'
import { connectClickHouse } from './clickhouse/connect.ts'
import type { ReadingRow } from './clickhouse/insert-readings.ts'
import { migrateClickHouse } from './clickhouse/migrate.ts'

import type { Config } from './config.ts'
import { createApp } from './http/app.ts'
import { createDirectory, factsAgeMsMax } from './ingest/directory.ts'
import type { CheckFacts } from './ingest/directory.ts'
import { startIngester } from './ingest/ingester.ts'
import { startNotifier } from './notify/notifier.ts'
import { findCheckOfAnyAccount } from './postgres/assignable-checks.ts'
import { connectPostgres } from './postgres/connect.ts'
import type { Sql } from './postgres/connect.ts'
import { migratePostgres } from './postgres/migrate.ts'
import { startPurger } from './purge/purger.ts'
import { describeReading } from './readings/stored-reading.ts'

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
  const shared = { sql, clickhouse, bus, registry, log, now }
  const ingester = await startIngester({
    ...shared,
    directory,
    partitions,
    onStored: (rows, facts) => publishReadings(bus, rows, facts),
  })
  const assessor = await startAssessor({ ...shared, book, confirmer, metrics, partitions })
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
      await ingester.close()
      await assessor.close()
      await Promise.all([confirmer.close(), notifier.close(), purger.close()])
      await Promise.all([sql.end({ timeout: 5 }), clickhouse.close()])
    },
  }
}

/** Tells live streams what has just been stored. */
const publishReadings = (
  bus: Bus,
  rows: readonly ReadingRow[],
  facts: ReadonlyMap<string, CheckFacts>,
): void => {
  for (const { reading, agent, receivedAtMs } of rows) {
    const accountId = facts.get(reading.checkId)?.accountId
    if (accountId === undefined) continue
    const event: AccountEvent = {
      kind: 'reading',
      accountId,
      checkId: reading.checkId,
      reading: describeReading(reading, agent, receivedAtMs),
    }
    bus.events.publish('reading', event)
  }
}
