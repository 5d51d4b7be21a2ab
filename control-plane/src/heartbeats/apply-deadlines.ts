import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Logger } from 'pino'
import { observeDeadline } from './heartbeat.ts'
import type { Step } from './heartbeat.ts'
import type { Outage } from './outage.ts'
import type { Sql } from '../stores/postgres/connect.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { claimDueHeartbeats } from './heartbeats-store.ts'
import type { StoredHeartbeat } from './heartbeats-store.ts'

/** A ping that was received before its deadline may still be on its way into the store. */
export const settleMs = 1_000

/** One that cannot be judged is put aside for so long, so that it holds nobody up. */
const asideMs = 3_600_000

/** Of one batch: how many heartbeats were looked at, and the outcomes of the runs that this ended. */
export type Applied = { heartbeats: number; outcomes: RunOutcome[] }

/**
 * Looks at heartbeats whose deadline has passed, a batch at a time: what a deadline leads to is
 * recorded once, however many control planes look and whenever one of them dies. Where a ping came
 * in between, it is the ping that counts.
 */
export const applyDeadlines = async (
  { sql, log }: { sql: Sql; log: Logger },
  outages: readonly Outage[],
  nowMs: number,
  limit: number,
): Promise<Applied> => {
  const due = await claimDueHeartbeats(sql, nowMs - settleMs, limit)
  const writes = due.map((before) => {
    const { state, nextDeadlineMs, runs, flip } = stepOf(before, outages, nowMs, log)
    return { before, state, nextDeadlineMs, runs, flips: flip === null ? [] : [flip], log: null }
  })
  const written = await writeHeartbeats(sql, writes, nowMs)
  const ended = writes
    .filter(({ before }) => written.has(before.checkId))
    .flatMap(({ runs }) => runs)
  return { heartbeats: due.length, outcomes: ended.map((run) => run.outcome) }
}

const stepOf = (
  { checkId, state, definition }: StoredHeartbeat,
  outages: readonly Outage[],
  nowMs: number,
  log: Logger,
): Step => {
  const aside: Step = { state, runs: [], flip: null, nextDeadlineMs: nowMs + asideMs }
  if (definition === null) return aside
  try {
    return observeDeadline(state, definition, { outages, runId: uuidv7(nowMs) }, nowMs)
  } catch (error) {
    log.error({ err: error, checkId }, 'a heartbeat cannot be judged; it is put aside')
    return aside
  }
}
