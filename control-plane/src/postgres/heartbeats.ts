import type { CheckStatus } from '@probe-mesh/contracts/check'
import { toStoredConfig } from '../checks/stored-config.ts'
import { newHeartbeatState } from '../heartbeat/state.ts'
import type { HeartbeatDefinition, HeartbeatState, RunRecord } from '../heartbeat/state.ts'
import type { Connection, Transaction } from './connect.ts'
import { runColumns, toRunRecord } from './heartbeat-runs.ts'
import type { RunRow } from './heartbeat-runs.ts'

/** A heartbeat with all that its next step depends on, its row locked until the transaction ends. */
export type LockedHeartbeat = {
  checkId: string
  accountId: string
  checkName: string
  pingKey: string
  state: HeartbeatState
  /** null where a newer version wrote what it is judged by. */
  definition: HeartbeatDefinition | null
  /** The version of its status: what the next flip must find. */
  version: number
  statusSinceMs: number | null
}

type LockedRow = {
  check_id: string
  account_id: string
  name: string
  ping_key: string
  state: HeartbeatState
  config: unknown
  paused: boolean
  valid_from: Date
  status: CheckStatus
  version: number
  status_since: Date | null
}

const toLocked = (row: LockedRow): LockedHeartbeat => {
  const config = toStoredConfig(row.config, 'heartbeat')
  const { paused, status } = row
  return {
    checkId: row.check_id,
    accountId: row.account_id,
    checkName: row.name,
    pingKey: row.ping_key,
    state: row.state,
    definition:
      config.type === 'heartbeat'
        ? { settings: config.settings, paused, validFromMs: row.valid_from.getTime(), status }
        : null,
    version: row.version,
    statusSinceMs: row.status_since?.getTime() ?? null,
  }
}

const lockedColumns = (sql: Connection) => sql`
  heartbeats.check_id, found.account_id, found.name, heartbeats.ping_key, heartbeats.state,
  found.config, found.paused, found.valid_from, check_states.status, check_states.version,
  check_states.status_since`

/** The check before its heartbeat, as whoever deletes it locks them, and all in one order. */
const checkColumns = (sql: Connection) => sql`
  checks.id, checks.account_id, checks.name, checks.config, checks.paused, checks.valid_from`

/** The heartbeats of these ping keys, locked. Keys that nobody has are left out. */
export const lockHeartbeatsOfKeys = async (
  transaction: Transaction,
  pingKeys: readonly string[],
): Promise<LockedHeartbeat[]> => {
  const rows = await transaction<LockedRow[]>`
    with found as materialized (
      select ${checkColumns(transaction)} from heartbeats join checks on checks.id = heartbeats.check_id
      where heartbeats.ping_key = any(${[...pingKeys]}::uuid[])
      order by checks.id for key share of checks
    )
    select ${lockedColumns(transaction)}
    from found join heartbeats on heartbeats.check_id = found.id
      join check_states on check_states.check_id = found.id
    order by found.id for update of heartbeats, check_states`
  return rows.map(toLocked)
}

/**
 * Heartbeats whose deadline has passed, the longest overdue first, locked. Those that somebody else
 * has are left to him, so that any number of control planes share them.
 */
export const lockDueHeartbeats = async (
  transaction: Transaction,
  dueMs: number,
  limit: number,
): Promise<LockedHeartbeat[]> => {
  const due = new Date(dueMs)
  const rows = await transaction<LockedRow[]>`
    with found as materialized (
      select ${checkColumns(transaction)} from heartbeats join checks on checks.id = heartbeats.check_id
      where heartbeats.next_deadline_at <= ${due}
      order by heartbeats.next_deadline_at limit ${limit}
      for key share of checks skip locked
    )
    select ${lockedColumns(transaction)}
    from found join heartbeats on heartbeats.check_id = found.id
      join check_states on check_states.check_id = found.id
    where heartbeats.next_deadline_at <= ${due}
    for update of heartbeats, check_states skip locked`
  return rows.map(toLocked)
}

/** One heartbeat by its check, locked; null where the check has none. */
export const lockHeartbeat = async (
  transaction: Transaction,
  checkId: string,
): Promise<LockedHeartbeat | null> => {
  const rows = await transaction<LockedRow[]>`
    with found as materialized (
      select ${checkColumns(transaction)} from checks where id = ${checkId} for key share
    )
    select ${lockedColumns(transaction)}
    from found join heartbeats on heartbeats.check_id = found.id
      join check_states on check_states.check_id = found.id
    for update of heartbeats, check_states`
  const [row] = rows
  return row === undefined ? null : toLocked(row)
}

/** Gives a check a heartbeat that was never pinged, with a ping key of its own; one that it has stays. */
export const insertHeartbeat = async (connection: Connection, checkId: string): Promise<void> => {
  await connection`
    insert into heartbeats (check_id, ping_key, state)
    values (${checkId}, ${crypto.randomUUID()}, ${connection.json(newHeartbeatState)})
    on conflict (check_id) do nothing`
}

export type FoundHeartbeat = {
  pingKey: string
  state: HeartbeatState
  latestRun: RunRecord | null
}

/** A heartbeat with its newest run, as it is read. */
export const findHeartbeat = async (
  connection: Connection,
  checkId: string,
): Promise<FoundHeartbeat | null> => {
  const [row] = await connection<
    ({ ping_key: string; state: HeartbeatState } & (RunRow | { id: null }))[]
  >`
    select heartbeats.ping_key, heartbeats.state, ${runColumns(connection)}
    from heartbeats left join lateral (
      select * from heartbeat_runs where heartbeat_runs.check_id = heartbeats.check_id
      order by at desc, id desc limit 1
    ) runs on true
    where heartbeats.check_id = ${checkId}`
  if (row === undefined) return null
  return {
    pingKey: row.ping_key,
    state: row.state,
    latestRun: row.id === null ? null : toRunRecord(row),
  }
}
