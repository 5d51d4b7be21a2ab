import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { HeartbeatState, RunRecord } from './state.ts'
import type { StatusChange } from '../status/observe.ts'
import { recordFlipped } from '../status/flips-store.ts'
import type { Connection } from '../stores/postgres/connect.ts'
import type { StoredHeartbeat } from './heartbeats-store.ts'

/** The next state of a heartbeat, with all runs and flips that led to it, in order. */
type HeartbeatWrite = {
  before: StoredHeartbeat
  state: HeartbeatState
  nextDeadlineMs: number | null
  runs: readonly RunRecord[]
  flips: readonly StatusChange[]
  log: { message: string | null; atMs: number } | null
}

/**
 * Writes heartbeats with their runs, flips and outbox rows in one statement: each heartbeat completely or not
 * at all, by compare-and-set on its version and on the version of its check's status. The assessor writes the
 * other checks' statuses and skips heartbeats.
 * @returns the checks that were written; the others were changed or deleted in the meantime
 */
export const writeHeartbeats = async (
  db: Connection,
  writes: readonly HeartbeatWrite[],
  nowMs: number,
): Promise<Set<string>> => {
  if (writes.length === 0) return new Set()
  const at = new Date(nowMs)
  const json = (rows: readonly object[]) => db.json(rows as never)
  // checks before heartbeats, in the order in which a delete locks them: no deadlock
  const rows = await db<{ check_id: string }[]>`
    with new as materialized (
      select * from jsonb_to_recordset(${json(writes.map(stateRow))}) as new (check_id uuid,
        expected integer, expected_status integer, state jsonb, next_deadline_at timestamptz,
        log_message text, log_at timestamptz, flips integer, status text, reason text,
        since timestamptz)
    ),
    present as materialized (
      select id from checks where id in (select check_id from new) order by id for key share
    ),
    held as materialized (
      select heartbeats.check_id from present
        join new on new.check_id = present.id
        join heartbeats on heartbeats.check_id = present.id and heartbeats.version = new.expected
        join check_states on check_states.check_id = present.id
          and check_states.version = new.expected_status
      order by heartbeats.check_id for update of heartbeats, check_states
    ),
    runs as (
      insert into heartbeat_runs (id, check_id, rid, at, started_at, finished_at, outcome, stuck,
        exit_code, message)
      select run.id, run.check_id, rid, coalesce(started_at, finished_at), started_at, finished_at,
        outcome, stuck, exit_code, message
      from jsonb_to_recordset(${json(writes.flatMap(runRows))}) as run (id uuid, check_id uuid,
          rid uuid, started_at timestamptz, finished_at timestamptz, outcome text, stuck boolean,
          exit_code smallint, message text)
        join held on held.check_id = run.check_id
      on conflict (id) do update set finished_at = excluded.finished_at,
        outcome = excluded.outcome, stuck = excluded.stuck, exit_code = excluded.exit_code,
        message = coalesce(excluded.message, heartbeat_runs.message)
      returning check_id, (xmax = 0) as is_new
    ),
    counted as (
      select check_id, count(*) filter (where is_new) as added from runs group by check_id
    ),
    written as (
      update heartbeats set state = new.state, version = heartbeats.version + 1,
        next_deadline_at = new.next_deadline_at,
        log_message = case when new.log_at is null then heartbeats.log_message else new.log_message end,
        log_at = coalesce(new.log_at, heartbeats.log_at),
        run_count = run_count + coalesce(counted.added, 0)
      from new join held on held.check_id = new.check_id
        left join counted on counted.check_id = new.check_id
      where heartbeats.check_id = new.check_id
    ),
    judged as (
      update check_states set status = new.status, status_reason = new.reason,
        status_since = new.since, version = check_states.version + new.flips
      from new join held on held.check_id = new.check_id
      where check_states.check_id = new.check_id and new.flips > 0
    ),
    flipped as materialized (
      select flip.* from jsonb_to_recordset(${json(writes.flatMap(flipRows))}) as flip (
        id uuid, outbox_id uuid, check_id uuid, version integer, from_status text, to_status text,
        reason text, unconfirmed boolean, none_up boolean, at timestamptz, payload jsonb)
        join held on held.check_id = flip.check_id
    ),
    ${recordFlipped(db, at)},
    woken as materialized (
      select pg_notify('outbox', '') where exists (select from flipped)
    )
    select held.check_id from held left join woken on true`
  return new Set(rows.map((row) => row.check_id))
}

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

const runRows = ({ before, runs }: HeartbeatWrite) =>
  // one statement can write a row once: of a run that changed several times, the last version
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
    run.message ?? runs.findLast((other) => other.id === run.id && other.message !== null)?.message ?? null,
})

const stateRow = (write: HeartbeatWrite) => {
  const { before, state, nextDeadlineMs, log, flips } = write
  const last = flips.at(-1)
  return {
    check_id: before.checkId,
    expected: before.version,
    expected_status: before.statusVersion,
    state,
    next_deadline_at: isoOf(nextDeadlineMs),
    log_message: log?.message ?? null,
    log_at: isoOf(log?.atMs ?? null),
    flips: flips.length,
    status: last?.to ?? null,
    reason: last?.reason ?? null,
    since: last === undefined ? null : isoOf(flipAtMs(write, last)),
  }
}

/** A flip is never earlier than the one before it. */
const flipAtMs = ({ before }: HeartbeatWrite, change: StatusChange): number =>
  Math.max(change.atMs, before.statusSinceMs ?? 0)

const flipRows = (write: HeartbeatWrite) =>
  write.flips.map((change, index) => {
    const { checkId, accountId, checkName, statusVersion } = write.before
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
      version: statusVersion + index + 1,
      from_status: from,
      to_status: to,
      reason,
      unconfirmed: false,
      none_up: false,
      at,
      payload,
    }
  })
