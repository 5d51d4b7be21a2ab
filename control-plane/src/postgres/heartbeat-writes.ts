import type { AccountEvent } from '@probe-mesh/contracts/events'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { HeartbeatState, RunRecord } from '../heartbeat/state.ts'
import type { StatusChange } from '../status/observe.ts'
import type { Transaction } from './connect.ts'
import type { LockedHeartbeat } from './heartbeats.ts'

/** A heartbeat as it is to be, with everything that happened on the way there, in order. */
export type HeartbeatWrite = {
  before: LockedHeartbeat
  state: HeartbeatState
  nextDeadlineMs: number | null
  runs: readonly RunRecord[]
  flips: readonly StatusChange[]
  log: { message: string | null; atMs: number } | null
}

/**
 * Writes heartbeats with their runs, their flips and what is told of those, in one statement: all
 * of it or nothing. Flips go by compare-and-set on the check's version as the assessor's do, who
 * judges no heartbeat. The heartbeats must be locked.
 * @throws Error where a version has moved although the heartbeat was locked: a bug
 */
export const writeHeartbeats = async (
  transaction: Transaction,
  writes: readonly HeartbeatWrite[],
  nowMs: number,
): Promise<void> => {
  if (writes.length === 0) return
  const flips = writes.flatMap(flipRows)
  const flipped = writes.filter((write) => write.flips.length > 0)
  const at = new Date(nowMs)
  const [result] = await transaction<{ won: number }[]>`
    with runs as (
      insert into heartbeat_runs (id, check_id, rid, at, started_at, finished_at, outcome, stuck,
        exit_code, message)
      select id, check_id, rid, coalesce(started_at, finished_at), started_at, finished_at,
        outcome, stuck, exit_code, message
      from jsonb_to_recordset(${transaction.json(writes.flatMap(runRows) as never)}) as run (
        id uuid, check_id uuid, rid uuid, started_at timestamptz, finished_at timestamptz,
        outcome text, stuck boolean, exit_code smallint, message text)
      on conflict (id) do update set finished_at = excluded.finished_at,
        outcome = excluded.outcome, stuck = excluded.stuck, exit_code = excluded.exit_code,
        message = coalesce(excluded.message, heartbeat_runs.message)
      returning check_id, (xmax = 0) as is_new
    ),
    written as (
      update heartbeats set state = new.state, next_deadline_at = new.next_deadline_at,
        log_message = case when new.log_at is null then heartbeats.log_message else new.log_message end,
        log_at = coalesce(new.log_at, heartbeats.log_at),
        run_count = run_count
          + (select count(*) from runs where runs.check_id = new.check_id and is_new)
      from jsonb_to_recordset(${transaction.json(writes.map(stateRow) as never)}) as new (
        check_id uuid, state jsonb, next_deadline_at timestamptz, log_message text,
        log_at timestamptz)
      where heartbeats.check_id = new.check_id
    ),
    won as (
      update check_states set status = new.status, status_reason = new.reason,
        status_since = new.at, version = new.version
      from jsonb_to_recordset(${transaction.json(flipped.map(statusRow) as never)}) as new (
        check_id uuid, expected integer, version integer, status text, reason text, at timestamptz)
      where check_states.check_id = new.check_id and check_states.version = new.expected
      returning check_states.check_id
    ),
    flipped as materialized (
      select flip.* from jsonb_to_recordset(${transaction.json(flips as never)}) as flip (
        id uuid, outbox_id uuid, check_id uuid, version integer, from_status text, to_status text,
        reason text, at timestamptz, payload jsonb)
        join won on won.check_id = flip.check_id
    ),
    kept as (
      insert into flips (id, check_id, version, from_status, to_status, reason, at)
      select id, check_id, version, from_status, to_status, reason, at from flipped
    ),
    told as (
      insert into outbox (id, kind, payload, created_at, next_attempt_at)
      select outbox_id, 'flip', payload, ${at}::timestamptz, ${at}::timestamptz
      from flipped order by at, version
    )
    select (select count(*)::integer from won) as won,
      case when exists (select from won) then pg_notify('outbox', '') end as notified`
  if (result?.won !== flipped.length) {
    throw new Error('the status of a heartbeat was changed by somebody else')
  }
}

const isoOf = (ms: number | null): string | null =>
  ms === null ? null : new Date(ms).toISOString()

const runRows = ({ before, runs }: HeartbeatWrite) =>
  // one statement may write a row once: of a run that changed several times, the last
  [...new Map(runs.map((run) => [run.id, withEarlierMessage(runs, run)])).values()].map((run) => ({
    id: run.id,
    check_id: before.checkId,
    rid: run.rid,
    started_at: isoOf(run.startedAtMs),
    finished_at: isoOf(run.finishedAtMs),
    outcome: run.outcome,
    stuck: run.stuck,
    exit_code: run.exitCode,
    message: run.message,
  }))

const withEarlierMessage = (runs: readonly RunRecord[], run: RunRecord): RunRecord => ({
  ...run,
  message:
    run.message ??
    runs.findLast((other) => other.id === run.id && other.message !== null)?.message ??
    null,
})

const stateRow = ({ before, state, nextDeadlineMs, log }: HeartbeatWrite) => ({
  check_id: before.checkId,
  state,
  next_deadline_at: isoOf(nextDeadlineMs),
  log_message: log?.message ?? null,
  log_at: isoOf(log?.atMs ?? null),
})

/** A flip never lies before the one that it follows. */
const flipAtMs = ({ before }: HeartbeatWrite, change: StatusChange): number =>
  Math.max(change.atMs, before.statusSinceMs ?? 0)

const statusRow = (write: HeartbeatWrite) => {
  const last = write.flips.at(-1)
  return {
    check_id: write.before.checkId,
    expected: write.before.version,
    version: write.before.version + write.flips.length,
    status: last?.to,
    reason: last?.reason,
    at: last === undefined ? null : isoOf(flipAtMs(write, last)),
  }
}

const flipRows = (write: HeartbeatWrite) =>
  write.flips.map((change, index) => {
    const { checkId, accountId, checkName, version } = write.before
    const atMs = flipAtMs(write, change)
    const at = new Date(atMs).toISOString()
    const id = uuidv7(atMs)
    const { from, to, reason } = change
    const payload: AccountEvent = {
      kind: 'flip',
      accountId,
      flip: { id, accountId, checkId, checkName, from, to, reason, at },
    }
    return {
      id,
      outbox_id: uuidv7(atMs),
      check_id: checkId,
      version: version + index + 1,
      from_status: from,
      to_status: to,
      reason,
      at,
      payload,
    }
  })
