import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { clientRetryMs } from './outage.ts'
import { nextExpected } from './schedule.ts'
import type { HeartbeatDefinition, HeartbeatState, OpenRun } from './state.ts'

/**
 * One of the two clocks of a heartbeat: since when the awaited event can come, what it is, and the deadline.
 * Unix ms.
 */
export type Clock =
  | { kind: 'schedule'; waitFromMs: number; expectedMs: number; deadlineMs: number }
  | { kind: 'runtime'; waitFromMs: number; run: OpenRun; deadlineMs: number }

/**
 * The running clocks, the earliest deadline first. None runs before the first ping or while paused. While the
 * latest run is within its max runtime, the schedule clock is stopped and the runtime clock watches the run.
 */
export const clocksOf = (
  state: HeartbeatState,
  definition: Pick<HeartbeatDefinition, 'settings' | 'paused' | 'validFromMs'>,
): Clock[] => {
  if (definition.paused) return []
  const { settings } = definition
  const clocks: Clock[] = state.open.flatMap((run) => runtimeClock(run, definition))
  const inRun =
    settings.maxRuntimeSeconds !== null &&
    state.open.some((run) => !run.stuck && run.startedAtMs === state.anchorMs)
  const expectedMs = inRun ? null : expectedAtMs(state, settings)
  if (expectedMs !== null) {
    // a definition that took effect later starts its wait then
    const fromMs = Math.max(expectedMs, definition.validFromMs)
    const deadlineMs = fromMs + settings.graceSeconds * 1000
    const waitFromMs = settings.periodSeconds === null ? fromMs : earliestMs(state, expectedMs)
    clocks.push({ kind: 'schedule', waitFromMs, expectedMs, deadlineMs })
  }
  return clocks.toSorted((a, b) => a.deadlineMs - b.deadlineMs)
}

/**
 * The earliest time of the next ping of a period. Clients repeat a ping that got no answer, so the last one
 * may have arrived later than it was sent, after an outage.
 */
const earliestMs = ({ anchorMs, adrift }: HeartbeatState, expectedMs: number): number => {
  const fromMs = anchorMs ?? expectedMs
  return adrift ? fromMs : Math.max(fromMs, expectedMs - clientRetryMs)
}

/** When the next ping is expected; null before the first one, or if the schedule has ended (S-604). */
export const expectedAtMs = (state: HeartbeatState, settings: HeartbeatSettings): number | null =>
  state.anchorMs === null ? null : (nextExpected(settings, state.anchorMs, 1)[0] ?? null)

const runtimeClock = (
  run: OpenRun,
  { settings, validFromMs }: Pick<HeartbeatDefinition, 'settings' | 'validFromMs'>,
): Clock[] => {
  if (run.stuck || settings.maxRuntimeSeconds === null) return []
  const fromMs = Math.max(run.startedAtMs, validFromMs)
  const deadlineMs = fromMs + settings.maxRuntimeSeconds * 1000
  return [{ kind: 'runtime', waitFromMs: fromMs, run, deadlineMs }]
}

/** The longest wait from the last ping to the next one, grace included, in seconds. */
export const waitSeconds = (state: HeartbeatState, settings: HeartbeatSettings, nowMs: number): number => {
  const fromMs = state.anchorMs ?? nowMs
  const expectedMs = nextExpected(settings, fromMs, 1)[0] ?? fromMs
  return (expectedMs - fromMs) / 1000 + settings.graceSeconds
}
