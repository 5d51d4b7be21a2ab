import { pause } from '@probe-mesh/bus/pause'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { purgeReadings } from '../clickhouse/purge-readings.ts'
import { findUnpurged, markPurged } from '../postgres/deleted-checks.ts'
import type { Sql } from '../postgres/connect.ts'

const paceMs = 5_000
const checksPerPurge = 200

export type Purger = { close(): Promise<void> }

/** Removes the history of deleted checks, also of those deleted while ClickHouse was away. */
export const startPurger = (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  registry: Registry
  log: Logger
  now: () => number
  /** How long after its deletion a check is purged: longer than ingest may believe that it exists. */
  delayMs: number
}): Purger => {
  const { sql, clickhouse, log, now, delayMs } = capabilities
  const purged = new Counter({
    name: 'purge_checks_total',
    help: 'Deleted checks whose history was removed',
    registers: [capabilities.registry],
  })
  const closing = new AbortController()
  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const checkIds = await findUnpurged(sql, now() - delayMs, checksPerPurge)
        if (checkIds.length > 0) {
          await purgeReadings(clickhouse, checkIds)
          await markPurged(sql, checkIds, now())
          purged.inc(checkIds.length)
          continue
        }
      } catch (error) {
        log.warn({ err: error }, 'history of deleted checks cannot be removed; trying again')
      }
      await pause(paceMs, closing.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}
