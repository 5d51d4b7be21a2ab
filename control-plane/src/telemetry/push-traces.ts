import type { ClickHouse } from '../stores/clickhouse/connect.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { countedSpan, planPush, type Pushed } from './push-plan.ts'
import { failureIn, type PushResult, type SendPart } from './push-result.ts'
import { spansOf, type TracedCheck } from './run-spans.ts'
import { countRuns, minuteMs, readRuns, type RunPosition } from './runs-query.ts'

/** Runs in one request: about 1 MB before it is compressed. */
const runsPerRequest = 500

/** Sends the runs that were not pushed, minute by minute, oldest first (S-3733). */
export const pushTraces = async (
  { sql, clickhouse, now }: { sql: Sql; clickhouse: ClickHouse; now: () => number },
  { accountId, ...before }: Pushed & { accountId: string },
  send: SendPart,
  stop: AbortSignal,
): Promise<PushResult & Pushed> => {
  const checks = await findTracedChecks(sql, accountId)
  const checkIds = [...checks.keys()]
  const nowMs = now()
  const span = { checkIds, ...countedSpan(before, nowMs) }
  const counts = checkIds.length === 0 ? new Map<number, number>() : await countRuns(clickhouse, span, stop)
  const { minutes, kept, dropped } = planPush(before, counts, nowMs)
  const result: PushResult = { sent: 0, refused: 0, dropped, warning: null, failure: null }
  const pushed: Record<string, number> = { ...kept.pushed }
  const outcome = (failure: PushResult['failure']): PushResult & Pushed => ({
    ...result,
    failure,
    settledToMs: kept.settledToMs,
    pushed,
  })
  for (const { atMs, runs: missing } of minutes) {
    let after: RunPosition | null = null
    let read = 0
    let refused = 0
    do {
      const page = { checkIds, fromMs: atMs, toMs: atMs + minuteMs, after, limit: runsPerRequest }
      const { runs, next }: Awaited<ReturnType<typeof readRuns>> = await readRuns(clickhouse, page, stop)
      after = next
      read += runs.length
      if (runs.length === 0) break
      const spans = runs.flatMap((run) => {
        const check = checks.get(run.checkId)
        return check === undefined ? [] : spansOf(run, check)
      })
      const sent = await send({ signal: 'traces', spans })
      const failure = failureIn(sent, spans.length)
      if (sent.kind === 'failed') return outcome(failure)
      refused +=
        failure === null && sent.kind === 'accepted' ? Math.min(sent.refused, runs.length) : runs.length
      result.warning = sent.detail ?? result.warning
      result.failure = failure ?? result.failure
      if (failure?.waits === true) {
        // this minute was begun, and is not begun again
        pushed[atMs] = counts.get(atMs) ?? read
        const taken = Math.min(missing, read - refused)
        result.sent += taken
        result.refused += missing - taken
        return outcome(failure)
      }
    } while (after !== null)
    // a repeat of a minute for one late run is not counted again
    result.sent += Math.max(0, Math.min(missing, read) - refused)
    result.refused += refused
    pushed[atMs] = read
  }
  return outcome(result.failure)
}

const findTracedChecks = async (sql: Sql, accountId: string): Promise<Map<string, TracedCheck>> => {
  const rows = await sql<TracedCheck[]>`
    select id, name, type, url, target from checks where account_id = ${accountId} and type <> 'heartbeat'`
  return new Map(rows.map((check) => [check.id, check]))
}
