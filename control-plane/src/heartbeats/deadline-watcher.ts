import { pause } from '@probe-mesh/bus/pause'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Sql } from '../stores/postgres/connect.ts'
import { pruneRuns } from './heartbeat-runs.ts'
import { findOutages, keepWatch } from './heartbeat-watch-store.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { RunOutcome } from '@probe-mesh/contracts/heartbeat/run'
import { observeDeadline } from './heartbeat.ts'
import type { Step } from './heartbeat.ts'
import type { Outage } from './outage.ts'
import { writeHeartbeats } from './heartbeat-writes-store.ts'
import { claimDueHeartbeats } from './heartbeats-store.ts'
import type { StoredHeartbeat } from './heartbeats-store.ts'

const paceMs = 1_000
/** How often it is said that pings are taken; an outage is a silence well above this. */
const watchMs = 2_000
const pruneMs = 10_000
const heartbeatsPerBatch = 500
const heartbeatsPerPrune = 20

type Watcher = { close(): Promise<void> }

/**
 * Looks every second for heartbeats whose deadline has passed. Deadlines are instants in Postgres:
 * a restart forgets none, and every control plane takes what the others do not have.
 * @param capabilities.isServing whether this process takes pings: only who does may say that none came
 * @param capabilities.openUntilMs until when clients could reach it: what they could not send did not fail to come
 */
export const startWatcher = (capabilities: {
  sql: Sql
  isServing: () => boolean
  openUntilMs?: (nowMs: number) => number
  registry: Registry
  log: Logger
  now: () => number
}): Watcher => {
  const { sql, isServing, openUntilMs, log } = capabilities
  const now = (): number => {
    const nowMs = capabilities.now()
    return openUntilMs?.(nowMs) ?? nowMs
  }
  const registers = [capabilities.registry]
  const runs = new Counter({
    name: 'heartbeat_deadlines_total',
    help: 'Heartbeat deadlines that passed, by what became of the run',
    labelNames: ['outcome'] as const,
    registers,
  })
  const outages = new Counter({
    name: 'heartbeat_outage_seconds_total',
    help: 'Seconds in which no control plane took pings, as found by this one when it came back',
    registers,
  })
  const closing = new AbortController()
  let watchedAtMs = Number.NEGATIVE_INFINITY
  let prunedAtMs = Number.NEGATIVE_INFINITY

  const watch = async (nowMs: number): Promise<void> => {
    if (Math.abs(nowMs - watchedAtMs) < watchMs) return
    const outage = await keepWatch(sql, nowMs)
    watchedAtMs = nowMs
    if (outage === null) return
    const seconds = (outage.toMs - outage.fromMs) / 1000
    outages.inc(seconds)
    log.warn({ seconds }, 'no control plane took pings for a while; heartbeats are given that time')
  }

  const look = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      // one instant for both: whoever is paused in between must not see more time than was watched
      const nowMs = now()
      await watch(nowMs)
      const known = await findOutages(sql)
      const applied = await applyDeadlines(capabilities, known, nowMs, heartbeatsPerBatch)
      for (const outcome of applied.outcomes) runs.inc({ outcome })
      if (applied.heartbeats < heartbeatsPerBatch) return
    }
  }

  const prune = async (): Promise<void> => {
    if (Math.abs(now() - prunedAtMs) < pruneMs) return
    prunedAtMs = now()
    await pruneRuns(sql, heartbeatsPerPrune)
  }

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        if (isServing()) {
          await look()
          await prune()
        }
      } catch (error) {
        log.warn({ err: error }, 'heartbeats cannot be looked at; trying again')
      }
      await pause(paceMs, closing.signal)
    }
  }
  const running = run()
  return {
    close: async () => {
      closing.abort()
      await running
    },
  }
}

/** A ping that was received before its deadline may still be on its way into the store. */
export const settleMs = 1_000

/** One that cannot be judged is put aside for so long, so that it holds nobody up. */
const asideMs = 3_600_000

/** Of one batch: how many heartbeats were looked at, and the outcomes of the runs that this ended. */
type Applied = { heartbeats: number; outcomes: RunOutcome[] }

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
