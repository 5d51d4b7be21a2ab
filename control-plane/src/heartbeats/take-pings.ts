import type { StatusChange } from '../status/observe.ts'
import { nextDeadline } from './heartbeat.ts'
import { observePing } from './ping.ts'
import type { Ping } from './ping.ts'
import type { HeartbeatDefinition, HeartbeatState, RunRecord } from './state.ts'

/** Where a heartbeat stands after several pings, and all that happened on the way. */
export type Taken = {
  state: HeartbeatState
  nextDeadlineMs: number | null
  runs: RunRecord[]
  flips: StatusChange[]
  log: { message: string | null; atMs: number } | null
}

/**
 * Takes pings of one heartbeat in the order in which they came.
 * @param means.isFinished whether the run of this id had ended before these pings
 */
export const takePings = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  pings: readonly Ping[],
  means: { newRunId: () => string; isFinished: (rid: string) => boolean },
): Taken => {
  const taken: Taken = { state, nextDeadlineMs: null, runs: [], flips: [], log: null }
  let { status } = definition
  const finished = new Set<string>()
  for (const ping of pings) {
    const isFinished = ping.rid !== null && (finished.has(ping.rid) || means.isFinished(ping.rid))
    const facts = { runId: means.newRunId(), isFinished }
    const step = observePing(taken.state, { ...definition, status }, ping, facts)
    taken.state = step.state
    taken.runs.push(...step.runs)
    for (const run of step.runs) {
      if (run.rid !== null && run.finishedAtMs !== null) finished.add(run.rid)
    }
    if (step.flip !== null) {
      taken.flips.push(step.flip)
      status = step.flip.to
    }
    if (ping.kind === 'log' && step.runs.length === 0) {
      taken.log = { message: ping.message, atMs: ping.atMs }
    }
  }
  const lastMs = Math.max(...pings.map((ping) => ping.atMs))
  taken.nextDeadlineMs = nextDeadline(taken.state, definition, lastMs)
  return taken
}
