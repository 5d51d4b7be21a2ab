import { startLoop } from '@probe-mesh/runtime/loop'
import type { Logger } from 'pino'
import { Counter } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Sql } from '../stores/postgres/connect.ts'
import { pruneRuns } from './heartbeat-runs-store.ts'
import { findOutages, keepWatch } from './heartbeat-watch-store.ts'
import { applyDeadlines } from './apply-deadlines.ts'

const paceMs = 1_000
/** How often it is said that pings are taken; an outage is a silence well above this. */
const watchMs = 2_000
const pruneMs = 10_000
const heartbeatsPerBatch = 500
const heartbeatsPerPrune = 20

export type Watcher = { close(): Promise<void> }

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

  /** @returns whether there may be more */
  const look = async (): Promise<boolean> => {
    // one instant for both: whoever is paused in between must not see more time than was watched
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

  const loop = startLoop({
    everyMs: paceMs,
    round: async () => {
      if (!isServing()) return undefined
      if (await look()) return 'again'
      await prune()
      return undefined
    },
    onError: (error) => {
      log.warn({ err: error }, 'heartbeats cannot be looked at; trying again')
    },
  })
  return {
    close: loop.close,
  }
}
