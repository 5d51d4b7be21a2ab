import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { randomUUID } from 'node:crypto'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Logger } from 'pino'

/** What one owner has of one pool at one process. */
export type PoolShare = { pool: string; owner: string; taken: number; waiting: number }
export type NamedPoolShare = PoolShare & {
  /** Of the first user, where the owner is an account. */
  email: string | null
}

/** Rows older than this are of processes that run no more. */
export const poolShareAgeMsMax = 15_000
const rowsShown = 1_000

/** Puts what a process writes in the place of what it wrote before; removes what is too old. */
export const writePoolShares = (
  sql: Sql,
  processId: string,
  shares: readonly PoolShare[],
): Promise<void> =>
  transact(sql, async (tx) => {
    await tx`
      delete from pool_shares where process = ${processId}
        or written_at < clock_timestamp() - make_interval(secs => ${poolShareAgeMsMax / 1_000})`
    if (shares.length === 0) return
    await tx`
      insert into pool_shares (process, written_at, pool, owner, taken, waiting)
      select ${processId}, clock_timestamp(), pool, owner, taken, waiting
      from jsonb_to_recordset(${tx.json([...shares])})
        as s (pool text, owner text, taken integer, waiting integer)`
  })

/** Who has what of which pool, over all processes: of each pool those with the most first. */
export const findPoolShares = async (db: Connection): Promise<NamedPoolShare[]> =>
  await db<NamedPoolShare[]>`
    select pool, owner, sum(taken)::integer as taken, sum(waiting)::integer as waiting,
      (select email from users where users.account_id::text = owner
        order by created_at, id limit 1) as email
    from pool_shares
    where written_at >= clock_timestamp() - make_interval(secs => ${poolShareAgeMsMax / 1_000})
    group by pool, owner
    order by pool, sum(taken + waiting) desc, owner limit ${rowsShown}`

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
