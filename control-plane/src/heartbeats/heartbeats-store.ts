import { toStoredConfig } from '../records/check/check-record.ts'
import { newHeartbeatState, type HeartbeatDefinition, type HeartbeatState, type RunRecord } from './state.ts'
import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import { runColumns } from './heartbeat-runs.ts'

/** A heartbeat with everything that its next step depends on. */
export type StoredHeartbeat = {
  checkId: string
  accountId: string
  checkName: string
  pingKey: string
  state: HeartbeatState
  /** null if a newer version wrote its settings. */
  definition: HeartbeatDefinition | null
  /** The versions that the next write must find: of the heartbeat, and of its check status. */
  version: number
  statusVersion: number
  statusSinceMs: number | null
}

type StoredRow = Omit<StoredHeartbeat, 'definition'> &
  Omit<HeartbeatDefinition, 'settings'> & { config: unknown }

const toStored = ({ config, paused, validFromMs, status, ...heartbeat }: StoredRow): StoredHeartbeat => {
  const parsed = toStoredConfig(config, 'heartbeat')
  const isHeartbeat = parsed.type === 'heartbeat'
  return {
    ...heartbeat,
    definition: isHeartbeat ? { settings: parsed.settings, paused, validFromMs, status } : null,
  }
}

const storedColumns = (db: Connection) => db`
  heartbeats.check_id as "checkId", checks.account_id as "accountId", checks.name as "checkName",
  heartbeats.ping_key as "pingKey", heartbeats.state, checks.config, checks.paused,
  ${epochMs(db, 'checks.valid_from')} as "validFromMs", check_states.status, heartbeats.version,
  check_states.version as "statusVersion", ${epochMs(db, 'check_states.status_since')} as "statusSinceMs"`

const selectStored = (db: Connection) => db`
    select ${storedColumns(db)} from heartbeats
      join checks on checks.id = heartbeats.check_id
      join check_states on check_states.check_id = heartbeats.check_id`

/** The heartbeats with these ping keys. Unknown keys are left out. */
export const findHeartbeatsOfKeys = async (
  db: Connection,
  pingKeys: readonly string[],
): Promise<StoredHeartbeat[]> => {
  const rows = await db<StoredRow[]>`${selectStored(db)}
    where heartbeats.ping_key = any(${[...pingKeys]}::uuid[])`
  return rows.map(toStored)
}

/** The heartbeat of a check; null if it has none. */
export const findStoredHeartbeat = async (
  db: Connection,
  checkId: string,
): Promise<StoredHeartbeat | null> => {
  const [row] = await db<StoredRow[]>`${selectStored(db)}
    where heartbeats.check_id = ${checkId}`
  return row === undefined ? null : toStored(row)
}

/** How long a claim lasts: after a crash, another control plane takes over. */
export const claimMs = 10_000

/**
 * Claims heartbeats whose deadline has passed, the longest overdue first. Each goes to one control plane, and
 * is due again if it is not written within the claim. A ping in between is written, and voids the claim.
 */
export const claimDueHeartbeats = async (
  sql: Sql,
  dueMs: number,
  limit: number,
): Promise<StoredHeartbeat[]> => {
  const rows = await sql<StoredRow[]>`
    update heartbeats set version = heartbeats.version + 1,
      next_deadline_at = ${new Date(dueMs + claimMs)}
    from checks, check_states
    where checks.id = heartbeats.check_id and check_states.check_id = heartbeats.check_id
      and heartbeats.check_id in (
        select check_id from heartbeats where next_deadline_at <= ${new Date(dueMs)}
        order by next_deadline_at limit ${limit} for update skip locked
      )
    returning ${storedColumns(sql)}`
  return rows.map(toStored)
}

/** Creates the heartbeat of a check with a new ping key, unless it has one. */
export const insertHeartbeat = async (db: Connection, checkId: string): Promise<void> => {
  await db`
    insert into heartbeats (check_id, ping_key, state)
    values (${checkId}, ${crypto.randomUUID()}, ${db.json(newHeartbeatState)})
    on conflict (check_id) do nothing`
}

/** The states of these heartbeats, by check. */
export const findStatesOfHeartbeats = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<Map<string, HeartbeatState>> => {
  if (checkIds.length === 0) return new Map()
  const rows = await db<{ check_id: string; state: HeartbeatState }[]>`
    select check_id, state from heartbeats where check_id = any(${[...checkIds]}::uuid[])`
  return new Map(rows.map((row) => [row.check_id, row.state]))
}

export type FoundHeartbeat = {
  pingKey: string
  /** Of its account, for pings by slug. */
  accountPingKey: string
  state: HeartbeatState
  latestRun: RunRecord | null
}

/** A heartbeat with its newest run. */
export const findHeartbeat = async (db: Connection, checkId: string): Promise<FoundHeartbeat | null> => {
  const [row] = await db<(Omit<FoundHeartbeat, 'latestRun'> & (RunRecord | { id: null }))[]>`
    select heartbeats.ping_key as "pingKey", accounts.ping_key as "accountPingKey", heartbeats.state,
      ${runColumns(db)}
    from heartbeats join checks on checks.id = heartbeats.check_id
    join accounts on accounts.id = checks.account_id left join lateral (
      select * from heartbeat_runs where heartbeat_runs.check_id = heartbeats.check_id
      order by at desc, id desc limit 1
    ) runs on true
    where heartbeats.check_id = ${checkId}`
  if (row === undefined) return null
  const { pingKey, accountPingKey, state, ...latestRun } = row
  return { pingKey, accountPingKey, state, latestRun: latestRun.id === null ? null : latestRun }
}
