import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { randomUUID } from 'node:crypto'
import type { PoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Logger } from 'pino'
import { faultsOf } from '../stores/faults.ts'

/** The use of one pool by one owner in one process. */
type PoolShare = { pool: string; owner: string; taken: number; waiting: number }
export type NamedPoolShare = PoolShare & {
  /** The address of the first user, if the owner is an account. */
  email: string | null
}

/** Rows older than this belong to processes that no longer run. */
export const poolShareAgeMsMax = 15_000
const rowsShown = 1_000

/** Replaces the rows of a process and removes outdated rows. */
export const writePoolShares = (sql: Sql, processId: string, shares: readonly PoolShare[]): Promise<void> =>
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

/** The use of each pool by each owner, summed over all processes, the largest first. */
export const findPoolShares = async (db: Connection): Promise<NamedPoolShare[]> =>
  await db<NamedPoolShare[]>`
    select pool, owner, sum(taken)::integer as taken, sum(waiting)::integer as waiting,
      (select email from users where users.account_id::text = owner
        order by created_at, id limit 1) as email
    from pool_shares
    where written_at >= clock_timestamp() - make_interval(secs => ${poolShareAgeMsMax / 1_000})
    group by pool, owner
    order by pool, sum(taken + waiting) desc, owner limit ${rowsShown}`

/** The most rows that one process writes. */
export const snapshotRowsMax = 1_000
const paceMs = 5_000

/** The use of these pools, the largest owners first. Each pool gets an equal part of the rows. */
export const poolShares = (pools: PoolMetrics['pools']): PoolShare[] => {
  const each = Math.max(1, Math.floor(snapshotRowsMax / Math.max(1, pools.size)))
  return [...pools]
    .flatMap(([pool, same]) =>
      same.flatMap(({ largest }) => largest(each).map((share) => ({ pool, ...share }))),
    )
    .slice(0, snapshotRowsMax)
}

/** Stores the use of the shared pools every few seconds, for the operator. */
export const startPoolSnapshot = (capabilities: {
  sql: Sql
  pools: PoolMetrics['pools']
  log: Logger
}): { write(): Promise<void>; close(): Promise<void> } => {
  const { sql, pools, log } = capabilities
  const processId = randomUUID()
  const work = { what: 'the use of the shared pools cannot be stored' }
  let wroteAny = false
  let under: Promise<void> | null = null
  const writeOnce = async (): Promise<void> => {
    const shares = poolShares(pools)
    await faultsOf(log).attempt(work, async () => {
      // an idle process writes nothing
      if (shares.length === 0 && !wroteAny) return
      await writePoolShares(sql, processId, shares)
      wroteAny = shares.length > 0
    })
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
