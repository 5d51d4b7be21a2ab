import type { LoopContext } from '../stores/loop-context.ts'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { keepLooping } from '../stores/faults.ts'
import type { Logger } from 'pino'
import type { Sql } from '../stores/postgres/connect.ts'
import { pruneRuns } from './heartbeat-runs.ts'
import { findOutages, keepWatch } from './heartbeat-watch-store.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { observeDeadline, type Step } from './heartbeat.ts'
import type { Outage } from './outage.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { claimDueHeartbeats, type StoredHeartbeat } from './heartbeats-store.ts'

const paceMs = 1_000
/** How often a watcher reports that it receives pings; an outage is a silence well above this. */
const watchMs = 2_000
const pruneMs = 10_000
const heartbeatsPerBatch = 500
const heartbeatsPerPrune = 20

type DeadlineWatcher = { close(): Promise<void> }

/**
 * Applies the deadlines that have passed, once a second. Deadlines are stored in Postgres: a restart loses
 * none, and control planes share them.
 * @param capabilities.isServing whether this process receives pings: only then can it detect a missing one
 * @param capabilities.reachableUntilMs until when clients could reach this process: pings that they could not
 * send are not missed
 */
export const startDeadlineWatcher = (
  capabilities: LoopContext & { isServing: () => boolean; reachableUntilMs?: (nowMs: number) => number },
): DeadlineWatcher => {
  const { sql, isServing, reachableUntilMs, log } = capabilities
  const now = (): number => {
    const nowMs = capabilities.now()
    return reachableUntilMs?.(nowMs) ?? nowMs
  }
  const metric = createMetrics(capabilities.registry)
  const runs = metric.counter(
    'heartbeat_deadlines_total',
    'Heartbeat deadlines that passed, by outcome of the run',
    'outcome',
  )
  const outages = metric.counter(
    'heartbeat_outage_seconds_total',
    'Seconds when no control plane received pings, found by this one on its return',
  )
  let watchedAtMs = Number.NEGATIVE_INFINITY
  let prunedAtMs = Number.NEGATIVE_INFINITY

  const watch = async (nowMs: number): Promise<void> => {
    if (Math.abs(nowMs - watchedAtMs) < watchMs) return
    const outage = await keepWatch(sql, nowMs)
    watchedAtMs = nowMs
    if (outage === null) return
    const seconds = (outage.toMs - outage.fromMs) / 1000
    outages.inc(seconds)
    log.warn({ seconds }, 'no control plane received pings for a while; deadlines move by that time')
  }

  /** @returns whether more deadlines may be due */
  const applyDue = async (): Promise<boolean> => {
    // one instant for both: a pause of the process in between must not count as watched time
    const nowMs = now()
    await watch(nowMs)
    const known = await findOutages(sql)
    const applied = await applyDeadlines(capabilities, known, nowMs, heartbeatsPerBatch)
    for (const outcome of applied.outcomes) runs.inc({ outcome })
    return applied.heartbeats >= heartbeatsPerBatch
  }

  const prune = async (): Promise<void> => {
    if (Math.abs(now() - prunedAtMs) < pruneMs) return
    prunedAtMs = now()
    await pruneRuns(sql, heartbeatsPerPrune)
  }

  const loop = keepLooping(log, {
    what: 'deadlines of heartbeats cannot be applied',
    everyMs: paceMs,
    round: async () => {
      if (!isServing()) return
      if (await applyDue()) return 'again'
      await prune()
      return
    },
  })
  return { close: loop.close }
}

/** A ping that arrived before the deadline may still be on its way to the database. */
export const settleMs = 1_000

/** How long a heartbeat that fails to evaluate is postponed, so that it does not delay others. */
const postponeMs = 3_600_000

/** The number of heartbeats of a batch, and the outcomes of the runs that ended. */
type Applied = { heartbeats: number; outcomes: RunOutcome[] }

/**
 * Applies one batch of passed deadlines. Each is recorded once, however many control planes do this and
 * whenever one of them dies. If a ping came in between, the ping counts.
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
  const ended = writes.filter(({ before }) => written.has(before.checkId)).flatMap(({ runs }) => runs)
  return { heartbeats: due.length, outcomes: ended.map((run) => run.outcome) }
}

const stepOf = (
  { checkId, state, definition }: StoredHeartbeat,
  outages: readonly Outage[],
  nowMs: number,
  log: Logger,
): Step => {
  const postponed: Step = { state, runs: [], flip: null, nextDeadlineMs: nowMs + postponeMs }
  if (definition === null) return postponed
  try {
    return observeDeadline(state, definition, { outages, runId: uuidv7(nowMs) }, nowMs)
  } catch (error) {
    log.error({ err: error, checkId }, 'evaluating a heartbeat failed; postponed for an hour')
    return postponed
  }
}
