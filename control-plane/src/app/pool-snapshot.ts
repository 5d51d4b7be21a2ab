import { randomUUID } from 'node:crypto'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Logger } from 'pino'
import type { Sql } from '../stores/postgres/connect.ts'
import { writePoolShares } from '../accounts/rate-limits/pool-shares-store.ts'
import type { PoolShare } from '../accounts/rate-limits/pool-shares-store.ts'

/** Rows that one process writes, over all its pools. */
export const snapshotRowsMax = 1_000
const paceMs = 5_000

/** Who uses what of these pools, those with the most first; each pool has an equal part of the rows. Pure. */
export const poolShares = (pools: PoolMetrics['pools']): PoolShare[] => {
  const each = Math.max(1, Math.floor(snapshotRowsMax / Math.max(1, pools.size)))
  return [...pools]
    .flatMap(([pool, same]) =>
      same.flatMap(({ largest }) => largest(each).map((share) => ({ pool, ...share }))),
    )
    .slice(0, snapshotRowsMax)
}

/** Writes every few seconds who uses what of the shared pools, for the operator to see. */
export const startPoolSnapshot = (capabilities: {
  sql: Sql
  pools: PoolMetrics['pools']
  log: Logger
}): { write(): Promise<void>; close(): Promise<void> } => {
  const { sql, pools, log } = capabilities
  const processId = randomUUID()
  let wroteAny = false
  let under: Promise<void> | null = null
  const writeOnce = async (): Promise<void> => {
    const shares = poolShares(pools)
    // an idle process writes nothing
    if (shares.length === 0 && !wroteAny) return
    try {
      await writePoolShares(sql, processId, shares)
      wroteAny = shares.length > 0
    } catch (error) {
      log.warn({ err: error }, 'the use of the shared pools cannot be written')
    }
  }
  const write = (): Promise<void> => {
    under ??= writeOnce().finally(() => {
      under = null
    })
    return under
  }
  const timer = setInterval(() => void write(), paceMs)
  timer.unref()
  return {
    write,
    close: async () => {
      clearInterval(timer)
      await under
    },
  }
}
