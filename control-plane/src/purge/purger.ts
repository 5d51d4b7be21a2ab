import { pause } from '@probe-mesh/bus/pause'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { purgeReadings } from '../clickhouse/purge-readings.ts'
import { findUnpurged, markPurged } from '../postgres/deleted-checks.ts'
import type { Sql } from '../postgres/connect.ts'
import { pruneClaims } from '../postgres/idempotency.ts'
import { pruneLogins } from '../postgres/prune-logins.ts'

const paceMs = 5_000
const checksPerPurge = 200
/** How often expired keys of requests and expired logins are looked for. */
const expiredMs = 60_000
const rowsPerPurge = 1_000

export type Purger = { close(): Promise<void> }

/**
 * Removes what nobody may see any more: the history of deleted checks, also of those deleted while
 * ClickHouse was away, and what has expired.
 */
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
  let expiredAtMs = Number.NEGATIVE_INFINITY

  const purgeExpired = async (): Promise<void> => {
    const nowMs = now()
    if (Math.abs(nowMs - expiredAtMs) < expiredMs) return
    const claims = await pruneClaims(sql, nowMs, rowsPerPurge)
    const logins = await pruneLogins(sql, nowMs, rowsPerPurge)
    // there may be more: again at the next turn
    if (Math.max(claims, logins) < rowsPerPurge) expiredAtMs = nowMs
  }

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
      try {
        await purgeExpired()
      } catch (error) {
        log.warn({ err: error }, 'what has expired cannot be removed; trying again')
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
