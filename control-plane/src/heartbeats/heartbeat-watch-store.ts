import { silenceMsMax, type HeartbeatWatch, type Outage } from './outage.ts'
import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** Outages older than the longest period plus grace affect no deadline any more. */
const keptMs = 2 * 366 * 86_400_000
const outagesMax = 1_000

const outageColumns = (db: Connection) => db`
  ${epochMs(db, 'from_at')} as "fromMs", ${epochMs(db, 'to_at')} as "toMs"`

/**
 * Records that a control plane receives pings. After a gap, the first one to return records the outage in the
 * same statement, so that it is known before any other control plane counts as receiving.
 * @returns the outage, if this call recorded it
 */
export const keepWatch = async (sql: Sql, nowMs: number): Promise<Outage | null> => {
  const now = new Date(nowMs)
  await sql`insert into heartbeat_watch (seen_at) values (${now}) on conflict do nothing`
  const [row] = await sql<Outage[]>`
    with before as materialized (select seen_at from heartbeat_watch for update),
    found as (
      insert into heartbeat_outages (from_at, to_at)
      select seen_at, ${now} from before
      where seen_at < ${new Date(nowMs - silenceMsMax)}
      on conflict (from_at) do update set to_at = greatest(heartbeat_outages.to_at, excluded.to_at)
      returning from_at, to_at
    ),
    seen as (
      update heartbeat_watch set seen_at = greatest(heartbeat_watch.seen_at, ${now}) from before
    ),
    forgotten as (
      delete from heartbeat_outages where to_at < ${new Date(nowMs - keptMs)}
    )
    select ${outageColumns(sql)} from found`
  return row ?? null
}

/** Every outage that can still affect a deadline, in order of time. */
export const findOutages = async (db: Connection): Promise<Outage[]> => {
  const rows = await db<Outage[]>`
    select ${outageColumns(db)} from heartbeat_outages order by from_at desc limit ${outagesMax}`
  return rows.toReversed()
}

/** When pings could be received. */
export const findHeartbeatWatch = async (db: Connection): Promise<HeartbeatWatch> => {
  const [outages, [row]] = await Promise.all([
    findOutages(db),
    db<{ seenAtMs: number }[]>`select ${epochMs(db, 'seen_at')} as "seenAtMs" from heartbeat_watch`,
  ])
  return { outages, seenAtMs: row?.seenAtMs ?? null }
}

/**
 * When pings could be received, for the operations of all accounts.
 * @param sql a connection with the rights of loops
 */
export const heartbeatWatchOf = (sql: Sql) => (): Promise<HeartbeatWatch> => findHeartbeatWatch(sql)
