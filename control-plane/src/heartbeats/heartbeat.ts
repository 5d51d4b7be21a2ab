import type { StatusChange } from '../status/observe.ts'
import { clocksOf } from './clocks.ts'
import type { Clock } from './clocks.ts'
import { flipOf, withFailure, missedReason, stuckReason, unwatchedReason } from './health.ts'
import { watchedDeadline } from './outage.ts'
import type { Outage, WatchedDeadline } from './outage.ts'
import type { HeartbeatDefinition, HeartbeatState, OpenRun, RunRecord } from './state.ts'

/** What an event leads to. All of it is written together, or nothing. */
export type Step = {
  state: HeartbeatState
  /** Runs as they are now, new ones and changed ones. */
  runs: RunRecord[]
  flip: StatusChange | null
  /** When to look again, Unix ms; null: only when a ping comes. */
  nextDeadlineMs: number | null
}

/** A paused heartbeat is looked at this often, since nobody tells when it is resumed. */
const pausedLookMs = 60_000

/**
 * Takes it into account that time has passed. Fires at most one clock, the one that ran out first,
 * and never before its deadline; there may be more, and `nextDeadlineMs` says so.
 * @param means.outages the times in which no ping could be taken, in order
 * @param means.runId for the run that is missed, if one is
 */
export const observeDeadline = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  means: { outages: readonly Outage[]; runId: string },
  nowMs: number,
): Step => {
  if (definition.paused) return quiet(state, nowMs + pausedLookMs)
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

/** When the first clock runs out as far as is known without asking for outages. */
export const nextDeadline = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  nowMs: number,
): number | null => {
  if (definition.paused) return state.anchorMs === null ? null : nowMs + pausedLookMs
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

/** No ping came by the end of its grace: a run is missed, and the next one is waited for. */
const fireSchedule = (
  state: HeartbeatState,
  { settings }: HeartbeatDefinition,
  clock: Extract<Clock, { kind: 'schedule' }>,
  watched: WatchedDeadline,
  runId: string,
): Fired => {
  // whether it came cannot be known: the next one counts
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
  // the next one is reckoned from when this one was due, or from where its wait was moved to
  const anchorMs = Math.max(clock.expectedMs, watched.deadlineMs - settings.graceSeconds * 1000)
  const adrift = state.adrift || anchorMs > clock.expectedMs
  return { state: withFailure({ ...state, anchorMs, adrift }, reason), runs: [run] }
}

/** A run did not end within its max runtime. It may still end, which is told then. */
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
    // the schedule's clock stood still for it
    ...(state.anchorMs === run.startedAtMs ? { anchorMs: watched.deadlineMs, adrift: true } : {}),
  }
  return { state: isWatched ? withFailure(after, reason) : after, runs: [record] }
}
