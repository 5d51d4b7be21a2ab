import type { StatusChange } from '../status/observe.ts'
import { flipOf, withFailure, withSuccess, exitReason, failReason, supersededReason } from './health.ts'
import {
  openRunsMax,
  type HeartbeatDefinition,
  type HeartbeatState,
  type OpenRun,
  type RunRecord,
} from './state.ts'
import { nextDeadline } from './heartbeat.ts'

/** One call of the ping API. */
export type Ping = {
  kind: 'start' | 'success' | 'fail' | 'log'
  /** The run it belongs to, if several can be open. */
  rid: string | null
  exitCode: number | null
  /** The body, as text. */
  message: string | null
  /** When it was received, Unix ms. */
  atMs: number
}

/** The result of a ping. It is written completely or not at all. */
type PingStep = { state: HeartbeatState; runs: RunRecord[]; flip: StatusChange | null }

/** A ping that is further behind a later one than this is out of date. */
const lateMsMax = 5_000

/**
 * Applies a ping. Repeating the start or end of a run id changes nothing. A ping that is far behind later
 * ones updates its run but not the heartbeat (S-613).
 * @param facts.runId for the run that this ping starts, if it does
 * @param facts.isFinished whether this run has already ended
 */
const observePing = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  ping: Ping,
  facts: { runId: string; isFinished: boolean },
): PingStep => {
  const isLate = state.lastPingAtMs !== null && ping.atMs < state.lastPingAtMs - lateMsMax
  // clocks of control planes differ a little, so the order of arrival counts
  const atMs = isLate ? ping.atMs : Math.max(ping.atMs, state.lastPingAtMs ?? 0)
  const step = (after: HeartbeatState, runs: RunRecord[]): PingStep => ({
    state: after,
    runs,
    flip: after === state ? null : flipOf(after, definition, atMs),
  })
  const run = runOf(state, ping)
  if (ping.kind === 'log') return step(state, run === null ? [] : [logged(run, ping)])
  if (facts.isFinished) return step(state, [])
  if (ping.kind === 'start') {
    if (isLate || (run !== null && ping.rid !== null)) return step(state, [])
    const { open, runs } = withStart(state, definition, { ...ping, atMs }, facts.runId)
    return step({ ...state, open, lastPingAtMs: atMs, anchorMs: atMs, adrift: false }, runs)
  }
  const record = ended(run, { ...ping, atMs }, facts.runId)
  const open = run === null ? state.open : state.open.filter((other) => other !== run)
  if (isLate) return step(run === null ? state : { ...state, open }, [record])
  const pinged = { ...state, open, lastPingAtMs: atMs, anchorMs: atMs, adrift: false }
  if (definition.paused) return step(pinged, [record])
  if (ping.kind === 'success') return step(withSuccess(pinged), [record])
  const reason = ping.exitCode === null ? failReason : exitReason(ping.exitCode)
  return step(withFailure(pinged, reason), [record])
}

/** The open run with this `rid`, or the latest one without; a stuck run can still end. */
const runOf = (state: HeartbeatState, ping: Ping): OpenRun | null =>
  state.open.findLast((run) => run.rid === ping.rid) ?? null

const withStart = (
  state: HeartbeatState,
  { settings }: HeartbeatDefinition,
  ping: Ping,
  id: string,
): { open: OpenRun[]; runs: RunRecord[] } => {
  const started: OpenRun = { id, rid: ping.rid, startedAtMs: ping.atMs, stuck: false }
  // no clock ends such runs and no id separates them: later pings belong to the new run
  const isSuperseded = (run: OpenRun): boolean =>
    (settings.maxRuntimeSeconds === null || run.stuck) && run.rid === null && ping.rid === null
  const open = [...state.open.filter((run) => !isSuperseded(run)), started].slice(-openRunsMax)
  const abandoned = state.open.filter((run) => !run.stuck && !open.includes(run))
  return {
    open,
    runs: [...abandoned.map(superseded), { ...recordOf(started), message: ping.message }],
  }
}

const superseded = (run: OpenRun): RunRecord => ({
  ...recordOf(run),
  outcome: 'stuck',
  stuck: true,
  message: supersededReason,
})

const recordOf = (run: OpenRun): RunRecord => ({
  id: run.id,
  rid: run.rid,
  startedAtMs: run.startedAtMs,
  finishedAtMs: null,
  outcome: run.stuck ? 'stuck' : 'running',
  stuck: run.stuck,
  exitCode: null,
  message: null,
})

const logged = (run: OpenRun, ping: Ping): RunRecord => ({
  ...recordOf(run),
  message: ping.message,
})

const ended = (run: OpenRun | null, ping: Ping, id: string): RunRecord => ({
  id: run?.id ?? id,
  rid: ping.rid,
  startedAtMs: run?.startedAtMs ?? null,
  finishedAtMs: ping.atMs,
  outcome: ping.kind === 'success' ? 'success' : 'failure',
  stuck: run?.stuck ?? false,
  exitCode: ping.exitCode,
  message: ping.message,
})

/** A heartbeat after several pings, with all runs and flips on the way. */
export type Applied = {
  state: HeartbeatState
  nextDeadlineMs: number | null
  runs: RunRecord[]
  flips: StatusChange[]
  log: { message: string | null; atMs: number } | null
}

/**
 * Applies the pings of one heartbeat in order of arrival.
 * @param means.isFinished whether this run had ended before these pings
 */
export const applyPings = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  pings: readonly Ping[],
  means: { newRunId: () => string; isFinished: (rid: string) => boolean },
): Applied => {
  const applied: Applied = { state, nextDeadlineMs: null, runs: [], flips: [], log: null }
  let { status } = definition
  const finished = new Set<string>()
  for (const ping of pings) {
    const isFinished = ping.rid !== null && (finished.has(ping.rid) || means.isFinished(ping.rid))
    const facts = { runId: means.newRunId(), isFinished }
    const step = observePing(applied.state, { ...definition, status }, ping, facts)
    applied.state = step.state
    applied.runs.push(...step.runs)
    for (const run of step.runs) {
      if (run.rid !== null && run.finishedAtMs !== null) finished.add(run.rid)
    }
    if (step.flip !== null) {
      applied.flips.push(step.flip)
      status = step.flip.to
    }
    if (ping.kind === 'log' && step.runs.length === 0) {
      applied.log = { message: ping.message, atMs: ping.atMs }
    }
  }
  const lastMs = Math.max(...pings.map((ping) => ping.atMs))
  applied.nextDeadlineMs = nextDeadline(applied.state, definition, lastMs)
  return applied
}
