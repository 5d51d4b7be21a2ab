import type { StatusChange } from '../status/observe.ts'
import { clocksOf, type Clock } from './clocks.ts'
import { flipOf, withFailure, missedReason, stuckReason, unwatchedReason } from './health.ts'
import { watchedDeadline, type Outage, type WatchedDeadline } from './outage.ts'
import type { HeartbeatDefinition, HeartbeatState, OpenRun, RunRecord } from './state.ts'

/** The result of an event. It is written completely or not at all. */
export type Step = {
  state: HeartbeatState
  /** Runs with their present state, new and changed ones. */
  runs: RunRecord[]
  flip: StatusChange | null
  /** When to check again, Unix ms; null: at the next ping. */
  nextDeadlineMs: number | null
}

/** How often a paused heartbeat is checked, in case the notice of its resuming was lost. */
const pausedCheckMs = 60_000

/**
 * Observes the passing of time. At most one clock fires, the one with the earliest deadline, and never before
 * it; `nextDeadlineMs` is the deadline of the next one.
 * @param means.outages the times when no ping could be received, in order
 * @param means.runId for the missed run, if there is one
 */
export const observeDeadline = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  means: { outages: readonly Outage[]; runId: string },
  nowMs: number,
): Step => {
  if (definition.paused) return quiet(state, nowMs + pausedCheckMs)
  const [first] = watchedClocks(state, definition, means.outages)
  if (first === undefined) return quiet(state, null)
  const { clock, watched } = first
  if (watched.deadlineMs > nowMs) return quiet(state, watched.deadlineMs)
  const fired =
    clock.kind === 'schedule'
      ? fireSchedule(state, definition, clock, watched, means.runId)
      : fireRuntime(state, definition, clock.run, watched)
  const [next] = watchedClocks(fired.state, definition, means.outages)
  return {
    ...fired,
    flip: watched.kind === 'at' ? flipOf(fired.state, definition, watched.deadlineMs) : null,
    nextDeadlineMs: next?.watched.deadlineMs ?? null,
  }
}

/** The earliest deadline, without regard to outages. */
export const nextDeadline = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  nowMs: number,
): number | null => {
  if (definition.paused) return state.anchorMs === null ? null : nowMs + pausedCheckMs
  return clocksOf(state, definition)[0]?.deadlineMs ?? null
}

const watchedClocks = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  outages: readonly Outage[],
): { clock: Clock; watched: WatchedDeadline }[] =>
  clocksOf(state, definition)
    .map((clock) => ({
      clock,
      watched: watchedDeadline(clock.waitFromMs, clock.deadlineMs, outages),
    }))
    .toSorted((a, b) => a.watched.deadlineMs - b.watched.deadlineMs)

const quiet = (state: HeartbeatState, nextDeadlineMs: number | null): Step => ({
  state,
  runs: [],
  flip: null,
  nextDeadlineMs,
})

type Fired = Pick<Step, 'state' | 'runs'>

/** No ping came within the grace period: the run is missed, and the next one is awaited. */
const fireSchedule = (
  state: HeartbeatState,
  { settings }: HeartbeatDefinition,
  clock: Extract<Clock, { kind: 'schedule' }>,
  watched: WatchedDeadline,
  runId: string,
): Fired => {
  // a ping may have been lost: the next one decides
  if (watched.kind === 'unwatched') {
    return { state: { ...state, anchorMs: watched.untilMs, adrift: true }, runs: [] }
  }
  const reason = missedReason(clock.expectedMs, state.lastPingAtMs, settings)
  const run: RunRecord = {
    id: runId,
    rid: null,
    startedAtMs: null,
    finishedAtMs: watched.deadlineMs,
    outcome: 'missed',
    stuck: false,
    exitCode: null,
    message: reason,
  }
  // the next one is counted from when this one was due, or from where an outage moved its wait
  const anchorMs = Math.max(clock.expectedMs, watched.deadlineMs - settings.graceSeconds * 1000)
  const adrift = state.adrift || anchorMs > clock.expectedMs
  return { state: withFailure({ ...state, anchorMs, adrift }, reason), runs: [run] }
}

/** A run did not end within its max runtime. It may still end later, and is recorded then. */
const fireRuntime = (
  state: HeartbeatState,
  { settings }: HeartbeatDefinition,
  run: OpenRun,
  watched: WatchedDeadline,
): Fired => {
  const isWatched = watched.kind === 'at'
  const reason = isWatched ? stuckReason(settings) : unwatchedReason
  const record: RunRecord = {
    id: run.id,
    rid: run.rid,
    startedAtMs: run.startedAtMs,
    finishedAtMs: null,
    outcome: 'stuck',
    stuck: true,
    exitCode: null,
    message: reason,
  }
  const after: HeartbeatState = {
    ...state,
    open: state.open.map((other) => (other === run ? { ...run, stuck: true } : other)),
    // the schedule clock was stopped for this run
    ...(state.anchorMs === run.startedAtMs ? { anchorMs: watched.deadlineMs, adrift: true } : {}),
  }
  return { state: isWatched ? withFailure(after, reason) : after, runs: [record] }
}
