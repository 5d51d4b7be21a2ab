import { setTimeout as wait } from 'node:timers/promises'
import type { Sql } from './connect.ts'

/** Why a server accepts no writes. */
export type ReadOnly =
  /** A standby. */
  | { by: 'recovery' }
  /** `source`, as in `pg_settings`: where `default_transaction_read_only` is set. */
  | { by: 'setting'; source: string; role: string; database: string }

/** A session that others wait for. */
export type BlockingSession = {
  pid: number
  role: string
  application: string
  /** Such as `idle in transaction`. */
  state: string
  /** How long its transaction has run, ms. */
  openMs: number
  /** Sessions that wait for it. */
  waiting: number
  /** The tables that they wait for. */
  tables: string[]
}

/** What can be known of a server without the tables of this system. */
export type ServerState = {
  readOnly: ReadOnly | null
  blocking: BlockingSession[]
  /** The limit of connections of the role; null: none but the server's. */
  roleLimit: { role: string; used: number; max: number } | null
}

/** A wait for a lock that is shorter is ordinary work, ms. */
const lockMsMin = 3_000
/** A session blocks if it does so in two looks this far apart, ms. */
const lookAgainMs = 1_000
const blockingMax = 5

/** Reads only catalogs and settings, so no lock on a table delays it. */
export const serverState = async (sql: Sql): Promise<ServerState> => {
  const [row] = await sql<{ standby: boolean; on: string; source: string; role: string; database: string }[]>`
    select pg_is_in_recovery() as standby, setting as "on", source, current_user as role,
      current_database() as database
    from pg_settings where name = 'default_transaction_read_only'`
  const [limit] = await sql<{ role: string; max: number; used: string }[]>`
    select rolname as role, rolconnlimit as max,
      (select count(*) from pg_stat_activity where usename = rolname) as used
    from pg_roles where rolname = session_user and rolconnlimit >= 0 and not rolsuper`
  const first = await blockingSessions(sql)
  if (first.length > 0) await wait(lookAgainMs)
  const still = first.length === 0 ? [] : await blockingSessions(sql)
  return {
    readOnly: row === undefined ? null : readOnlyOf(row),
    blocking: still.filter(({ pid }) => first.some((one) => one.pid === pid)).slice(0, blockingMax),
    roleLimit: limit === undefined ? null : { ...limit, used: Number(limit.used) },
  }
}

const readOnlyOf = (row: {
  standby: boolean
  on: string
  source: string
  role: string
  database: string
}): ReadOnly | null => {
  if (row.standby) return { by: 'recovery' }
  const { source, role, database } = row
  return row.on === 'on' ? { by: 'setting', source, role, database } : null
}

/** The sessions that others wait for and that wait for none. */
const blockingSessions = async (sql: Sql): Promise<BlockingSession[]> => {
  const rows = await sql<
    (Omit<BlockingSession, 'openMs' | 'tables'> & { open: number; tables: string[] | null })[]
  >`
    select b.pid, coalesce(b.usename, '') as role, b.application_name as application,
      coalesce(b.state, b.backend_type) as state, count(distinct w.pid)::int as waiting,
      (extract(epoch from clock_timestamp() - coalesce(b.xact_start, b.backend_start)) * 1000)::float8 as open,
      array_agg(distinct c.relname::text) filter (where c.relname is not null) as tables
    from pg_stat_activity w
      cross join lateral unnest(pg_blocking_pids(w.pid)) as by (pid)
      join pg_stat_activity b on b.pid = by.pid
      left join pg_locks l on l.pid = w.pid and not l.granted and l.locktype = 'relation'
      left join pg_class c on c.oid = l.relation
    where w.wait_event_type = 'Lock' and w.datname = current_database()
      and w.query_start < clock_timestamp() - make_interval(secs => ${lockMsMin / 1_000})
      and b.wait_event_type is distinct from 'Lock'
    group by b.pid, b.usename, b.application_name, b.state, b.backend_type, b.xact_start, b.backend_start
    order by waiting desc, b.pid`
  return rows.map(({ open, tables, ...rest }) => ({ ...rest, openMs: open, tables: tables ?? [] }))
}
