import type { CheckStatus } from '@probe-mesh/contracts/check'
import type { CheckState, RegionState } from '../status/state.ts'
import type { StatusChange } from '../status/observe.ts'
import type { Connection, Sql } from './connect.ts'

/** A check as the assessor needs it. */
export type AssessedCheck = {
  checkId: string
  accountId: string
  name: string
  regions: string[]
  intervalSeconds: number
  state: CheckState
}

type StateRow = {
  id: string
  account_id: string
  name: string
  regions: string[]
  interval_seconds: number
  status: CheckStatus
  status_reason: string | null
  status_since: Date | null
  version: number
  region_states: Record<string, RegionState>
}

const toAssessedCheck = (row: StateRow): AssessedCheck => ({
  checkId: row.id,
  accountId: row.account_id,
  name: row.name,
  regions: row.regions,
  intervalSeconds: row.interval_seconds,
  state: {
    status: row.status,
    statusReason: row.status_reason,
    statusSinceMs: row.status_since?.getTime() ?? null,
    version: row.version,
    regions: row.region_states,
  },
})

const stateColumns = (sql: Connection) => sql`
  checks.id, checks.account_id, checks.name, checks.regions, checks.interval_seconds,
  check_states.status, check_states.status_reason, check_states.status_since,
  check_states.version, check_states.regions as region_states`

/** Every check of these partitions with its state. */
export const findStatesOfPartitions = async (
  sql: Connection,
  partitions: readonly number[],
): Promise<AssessedCheck[]> => {
  const rows = await sql<StateRow[]>`
    select ${stateColumns(sql)} from check_states join checks on checks.id = check_states.check_id
    where check_states.partition = any(${[...partitions]}::smallint[])`
  return rows.map(toAssessedCheck)
}

export const findStatesOfChecks = async (
  sql: Connection,
  checkIds: readonly string[],
): Promise<AssessedCheck[]> => {
  const rows = await sql<StateRow[]>`
    select ${stateColumns(sql)} from check_states join checks on checks.id = check_states.check_id
    where checks.id = any(${[...checkIds]}::uuid[])`
  return rows.map(toAssessedCheck)
}

/** Regions to be written behind, guarded by the version they were seen at. */
export type StateWrite = { checkId: string; state: CheckState }

/**
 * Writes region states behind. A row whose version has moved on is left alone: the flip that
 * moved it carried newer regions.
 */
export const writeStates = async (
  sql: Connection,
  writes: readonly StateWrite[],
): Promise<void> => {
  if (writes.length === 0) return
  const rows = writes.map(({ checkId, state }) => ({
    check_id: checkId,
    version: state.version,
    status_reason: state.statusReason,
    regions: state.regions,
  }))
  await sql`
    update check_states set regions = new.regions, status_reason = new.status_reason
    from jsonb_to_recordset(${sql.json(rows)})
      as new (check_id uuid, version integer, status_reason text, regions jsonb)
    where check_states.check_id = new.check_id and check_states.version = new.version`
}

/** One or more flips of one check, the state they lead to, and what to tell of each. */
export type FlipWrite = {
  checkId: string
  /** The version before the first of the changes. */
  expectedVersion: number
  state: CheckState
  flips: { id: string; outboxId: string; version: number; change: StatusChange; payload: unknown }[]
}

/**
 * Records flips by compare-and-set, with their outbox rows, in one transaction: a flip that
 * somebody else has made already changes nothing and tells nothing.
 * @returns the checks whose flips were recorded
 */
export const recordFlips = async (
  sql: Sql,
  writes: readonly FlipWrite[],
  nowMs: number,
): Promise<Set<string>> =>
  await sql.begin(async (tx) => {
    const states = writes.map(({ checkId, expectedVersion, state }) => ({
      check_id: checkId,
      expected: expectedVersion,
      version: state.version,
      status: state.status,
      status_reason: state.statusReason,
      status_since: state.statusSinceMs === null ? null : new Date(state.statusSinceMs),
      regions: state.regions,
    }))
    const won = await tx<{ check_id: string }[]>`
      update check_states set
        status = new.status, status_reason = new.status_reason, status_since = new.status_since,
        version = new.version, regions = new.regions
      from jsonb_to_recordset(${tx.json(states as never)}) as new (
        check_id uuid, expected integer, version integer, status text, status_reason text,
        status_since timestamptz, regions jsonb)
      where check_states.check_id = new.check_id and check_states.version = new.expected
      returning check_states.check_id`
    const winners = new Set(won.map((row) => row.check_id))
    const flips = writes.filter((write) => winners.has(write.checkId)).flatMap(flipRows)
    if (flips.length > 0) {
      await tx`
        insert into flips (id, check_id, version, from_status, to_status, reason, at)
        select id, check_id, version, from_status, to_status, reason, at
        from jsonb_to_recordset(${tx.json(flips as never)}) as new (
          id uuid, check_id uuid, version integer, from_status text, to_status text,
          reason text, at timestamptz)`
      await tx`
        insert into outbox (id, kind, payload, created_at, next_attempt_at)
        select outbox_id, 'flip', payload, ${new Date(nowMs)}, ${new Date(nowMs)}
        from jsonb_to_recordset(${tx.json(flips as never)}) as new (outbox_id uuid, payload jsonb)`
      await tx`select pg_notify('outbox', '')`
    }
    return winners
  })

const flipRows = (write: FlipWrite) =>
  write.flips.map(({ id, outboxId, version, change, payload }) => ({
    id,
    outbox_id: outboxId,
    check_id: write.checkId,
    version,
    from_status: change.from,
    to_status: change.to,
    reason: change.reason,
    at: new Date(change.atMs),
    payload,
  }))
