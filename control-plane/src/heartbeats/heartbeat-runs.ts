import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { runsPageDefault, type Run, type RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { describeRun } from './describe-heartbeat.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { cutPage, refuseCursor, timeCursor } from '../accounts/operations/page-of.ts'
import type { RunRecord } from './state.ts'
import type { Connection, Sql } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** Runs, newest first (S-608). A check of another type has none. */
export const listHeartbeatRuns = async (
  context: Pick<AccountContext, 'sql'>,
  caller: Caller,
  input: RouteInput<'listHeartbeatRuns'>,
): Promise<{ runs: Run[]; nextCursor: string | null } | Refusal> => {
  const { id } = input.params
  const { limit = runsPageDefault, cursor, outcome } = input.query
  const after = cursor === undefined ? undefined : timeCursor.parse(cursor)
  if (after === null) return refuseCursor
  const found = await inAccount(context.sql, caller.accountId, async (tx) => {
    const check = await findCheck(tx, caller.accountId, id)
    return check === null ? null : findRuns(tx, id, limit + 1, { after, outcome })
  })
  if (found === null) return refuse('SV-3001')
  const { entries, next } = cutPage(found, limit, cursorOf)
  return { runs: entries.map(describeRun), nextCursor: next }
}

/** The order of runs: the start, or the end of a run without one. */
const cursorOf = ({ startedAtMs, finishedAtMs, id }: RunRecord): string =>
  timeCursor.format([startedAtMs ?? finishedAtMs ?? 0, id])

/**
 * Runs kept for each heartbeat; they are pruned only when there are some more, by the index on `run_count`.
 */
const runsKept = 1_000
const runsBeforePrune = 1_100

/** The columns of a `RunRecord`. */
export const runColumns = (db: Connection) => db`
  runs.id, runs.rid, ${epochMs(db, 'runs.started_at')} as "startedAtMs",
  ${epochMs(db, 'runs.finished_at')} as "finishedAtMs", runs.outcome, runs.stuck, runs.exit_code as "exitCode",
  runs.message`

/** The newest runs of a check, newest first. */
export const findRuns = async (
  db: Connection,
  checkId: string,
  limit: number,
  { after, outcome }: { after?: [number, string] | undefined; outcome?: RunOutcome | undefined } = {},
): Promise<RunRecord[]> =>
  await db<RunRecord[]>`
    select ${runColumns(db)} from heartbeat_runs runs
    where runs.check_id = ${checkId}
      ${after === undefined ? db`` : db`and (runs.at, runs.id) < (${new Date(after[0])}, ${after[1]}::uuid)`}
      ${outcome === undefined ? db`` : db`and runs.outcome = ${outcome}`}
    order by runs.at desc, runs.id desc limit ${limit}`

/** Which of these runs have ended, as `<check id> <rid>`. */
export const findFinishedRids = async (
  db: Connection,
  runs: readonly { checkId: string; rid: string }[],
): Promise<Set<string>> => {
  if (runs.length === 0) return new Set()
  const rows = await db<{ name: string }[]>`
    select runs.check_id || ' ' || runs.rid as name
    from unnest(${runs.map((run) => run.checkId)}::uuid[], ${runs.map((run) => run.rid)}::uuid[])
      as asked (check_id, rid)
      join heartbeat_runs runs on runs.check_id = asked.check_id and runs.rid = asked.rid
    where runs.finished_at is not null`
  return new Set(rows.map((row) => row.name))
}

/** Deletes the oldest runs of heartbeats that have too many. @returns the number of deleted runs */
export const pruneRuns = async (sql: Sql, heartbeatsMax: number): Promise<number> => {
  const rows = await sql<{ removed: number }[]>`
    with many as materialized (
      select check_id from heartbeats where run_count > ${sql.unsafe(String(runsBeforePrune))}
      limit ${heartbeatsMax} for update skip locked
    ),
    removed as (
      delete from heartbeat_runs where id in (
        select old.id from many cross join lateral (
          select id from heartbeat_runs runs where runs.check_id = many.check_id
          order by at desc, id desc offset ${runsKept}
        ) old
      )
      returning check_id
    ),
    counted as (
      update heartbeats set run_count = ${runsKept} from many
      where heartbeats.check_id = many.check_id
    )
    select count(*)::integer as removed from removed`
  return rows[0]?.removed ?? 0
}
