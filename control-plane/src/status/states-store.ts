import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { hostOf } from './cause.ts'
import type { StatusRule } from '@probe-mesh/contracts/check/status-rule'
import type { CheckState } from './state.ts'
import { toStatusRule } from './status-rule-column.ts'
import { stateColumns, toState, type StateColumns } from './state-columns.ts'
import type { StatusChange } from './observe.ts'
import { recordFlipped } from './flips-store.ts'
import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'
import { heldLeases, type Lease } from '../stores/leases/leases-store.ts'

/** A check as the assessor needs it. */
export type AssessedCheck = {
  checkId: string
  accountId: string
  name: string
  /** The measured host, if there is one: it distinguishes failures of a region from failures of a target. */
  host: string | null
  regions: string[]
  intervalSeconds: number
  paused: boolean
  /** What decides its status; absent or null: the default. */
  statusRule?: StatusRule | null
  state: CheckState
}

type StateRow = Omit<AssessedCheck, 'host' | 'state' | 'statusRule'> &
  StateColumns & {
    url: string | null
    target: string | null
    unconfirmed: boolean
    noneUp: boolean
    markedAtMs: number | null
    statusRule: unknown
  }

const mayBeUnconfirmed: ReadonlySet<CheckStatus | null> = new Set(['degraded', 'stale'])

const toAssessedCheck = (row: StateRow): AssessedCheck => ({
  checkId: row.checkId,
  accountId: row.accountId,
  name: row.name,
  host: hostOf(row),
  regions: row.regions,
  intervalSeconds: row.intervalSeconds,
  paused: row.paused,
  ...(row.statusRule !== null && { statusRule: toStatusRule(row.statusRule) }),
  state: {
    ...toState(row),
    // other writers of a status do not reset the mark of the previous one
    ...(row.unconfirmed && mayBeUnconfirmed.has(row.status) && { unconfirmed: true }),
    ...(row.noneUp && row.status === 'degraded' && { noneUp: true }),
    ...(row.markedAtMs !== null && { markedAtMs: row.markedAtMs }),
  },
})

const selectStates = (db: Connection) => db`
  select checks.id as "checkId", checks.account_id as "accountId", checks.name, checks.url, checks.target,
    checks.regions, checks.interval_seconds as "intervalSeconds", checks.paused,
    checks.status_rule as "statusRule",
    ${stateColumns(db)},
    check_states.unconfirmed, check_states.none_up as "noneUp",
    ${epochMs(db, 'check_states.marked_at')} as "markedAtMs"
  from check_states join checks on checks.id = check_states.check_id`

/** Every check of these partitions with its state. */
export const findStatesOfPartitions = async (
  db: Connection,
  partitions: readonly number[],
): Promise<AssessedCheck[]> => {
  const rows = await db<StateRow[]>`
    ${selectStates(db)}
    where check_states.partition = any(${[...partitions]}::smallint[])`
  return rows.map(toAssessedCheck)
}

export const findStatesOfChecks = async (
  db: Connection,
  checkIds: readonly string[],
): Promise<AssessedCheck[]> => {
  const rows = await db<StateRow[]>`
    ${selectStates(db)}
    where checks.id = any(${[...checkIds]}::uuid[])`
  return rows.map(toAssessedCheck)
}

/** A deferred write of region states, guarded by the version they were based on, under the check's lease. */
export type StateWrite = { checkId: string; lease: Lease; state: CheckState }

/**
 * Writes region states. A row with a newer version stays: the flip that raised it wrote newer regions. So
 * does a row whose lease is lost.
 * @param leases of the writes, and any others to verify
 * @returns the partitions whose leases are held
 */
export const writeStates = async (
  sql: Sql,
  writes: readonly StateWrite[],
  leases: readonly Lease[],
): Promise<Set<number>> => {
  const rows = writes.map(({ checkId, lease, state }) => ({
    check_id: checkId,
    ...lease,
    version: state.version,
    status_reason: state.statusReason,
    regions: state.regions,
  }))
  const held = await sql<{ partition: number }[]>`
    with ${heldLeases(sql, leases)},
    written as (
      update check_states set regions = new.regions, status_reason = new.status_reason
      from jsonb_to_recordset(${sql.json(rows)}) as new (check_id uuid, partition smallint,
          epoch bigint, version integer, status_reason text, regions jsonb)
        join held on held.partition = new.partition and held.epoch = new.epoch
      where check_states.check_id = new.check_id and check_states.version = new.version
    )
    select partition from held`
  return new Set(held.map((row) => row.partition))
}

/** One or more flips of one check, the state they lead to, and an event for each. */
export type FlipWrite = {
  checkId: string
  lease: Lease
  /** The version before the first change. */
  expectedVersion: number
  state: CheckState
  flips: { id: string; outboxId: string; version: number; change: StatusChange; payload: unknown }[]
}

/** The recorded flips, and the partitions whose leases are held: checks of the others are lost. */
type RecordedFlips = { won: Set<string>; held: Set<number> }

/**
 * Records flips with their outbox rows in one statement, by compare-and-set and under the lease of each
 * check. A flip that another writer has recorded, or of a former owner, changes and notifies nothing. Because
 * of the single statement, an owner paused in the middle blocks no one. Checks are locked before their
 * states, like in a delete.
 */
export const recordFlips = async (
  sql: Sql,
  writes: readonly FlipWrite[],
  nowMs: number,
): Promise<RecordedFlips> => {
  const at = new Date(nowMs)
  const [result] = await sql<{ won: string[]; held: number[] }[]>`
    with ${heldLeases(sql, distinctLeases(writes))},
    present as materialized (
      select id from checks where id = any(${writes.map(({ checkId }) => checkId)}::uuid[])
      order by id for key share
    ),
    won as (
      update check_states set
        status = new.status, status_reason = new.status_reason, status_since = new.status_since,
        version = new.version, unconfirmed = new.unconfirmed, none_up = new.none_up,
        marked_at = new.marked_at, regions = new.regions
      from jsonb_to_recordset(${sql.json(writes.map(stateRow) as never)}) as new (
          check_id uuid, partition smallint, epoch bigint, expected integer, version integer,
          status text, status_reason text, status_since timestamptz, unconfirmed boolean,
          none_up boolean, marked_at timestamptz, regions jsonb)
        join held on held.partition = new.partition and held.epoch = new.epoch
        join present on present.id = new.check_id
      where check_states.check_id = new.check_id and check_states.version = new.expected
      returning check_states.check_id
    ),
    flipped as materialized (
      select f.* from jsonb_to_recordset(${sql.json(writes.flatMap(flipRows) as never)}) as f (
          id uuid, outbox_id uuid, check_id uuid, version integer, from_status text, to_status text,
          reason text, unconfirmed boolean, none_up boolean, at timestamptz, payload jsonb)
        join won on won.check_id = f.check_id
    ),
    ${recordFlipped(sql, at)}
    select array(select check_id from won) as won, array(select partition from held) as held,
      case when exists (select from won) then pg_notify('outbox', '') end as notified`
  return { won: new Set(result?.won ?? []), held: new Set(result?.held ?? []) }
}

const distinctLeases = (writes: readonly FlipWrite[]): Lease[] => [
  ...new Set(writes.map(({ lease }) => lease)),
]

const stateRow = ({ checkId, lease, expectedVersion, state }: FlipWrite) => ({
  check_id: checkId,
  ...lease,
  expected: expectedVersion,
  version: state.version,
  status: state.status,
  status_reason: state.statusReason,
  status_since: state.statusSinceMs === null ? null : new Date(state.statusSinceMs),
  unconfirmed: state.unconfirmed === true,
  none_up: state.noneUp === true,
  marked_at: state.markedAtMs === undefined ? null : new Date(state.markedAtMs),
  regions: state.regions,
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
    unconfirmed: change.unconfirmed === true,
    none_up: change.noneUp === true,
    at: new Date(change.atMs),
    payload,
  }))
