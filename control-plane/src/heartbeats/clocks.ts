import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { clientRetryMs } from './outage.ts'
import { nextExpected } from './schedule.ts'
import type { HeartbeatDefinition, HeartbeatState, OpenRun } from './state.ts'

/**
 * One of a heartbeat's two clocks: since when what it waits for may come, what that is, and when it
 * runs out. Unix ms.
 */
export type Clock =
  | { kind: 'schedule'; waitFromMs: number; expectedMs: number; deadlineMs: number }
  | { kind: 'runtime'; waitFromMs: number; run: OpenRun; deadlineMs: number }

/**
 * The clocks that run, the one that runs out first before the others. Nothing is waited for before
 * the first ping and while paused. The schedule's clock stands still while the run that was told
 * of last is inside its max runtime: the other clock watches it.
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
    // what came into force later than that is waited for from then on
    const fromMs = Math.max(expectedMs, definition.validFromMs)
    const deadlineMs = fromMs + settings.graceSeconds * 1000
    const waitFromMs = settings.periodSeconds === null ? fromMs : earliestMs(state, expectedMs)
    clocks.push({ kind: 'schedule', waitFromMs, expectedMs, deadlineMs })
  }
  return clocks.toSorted((a, b) => a.deadlineMs - b.deadlineMs)
}

/**
 * When a ping of a period may come at the earliest: after an outage the last one may have been
 * repeated for as long as clients do, and so be taken later than it was due.
 */
const earliestMs = ({ anchorMs, adrift }: HeartbeatState, expectedMs: number): number => {
  const fromMs = anchorMs ?? expectedMs
  return adrift ? fromMs : Math.max(fromMs, expectedMs - clientRetryMs)
}

/** When the next ping is expected; null where none is: before the first one, or never again (S-604). */
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

/** How long the next ping may be waited for from the last one on, grace included, in seconds. */
export const waitSeconds = (
  state: HeartbeatState,
  settings: HeartbeatSettings,
  nowMs: number,
): number => {
  const fromMs = state.anchorMs ?? nowMs
  const expectedMs = nextExpected(settings, fromMs, 1)[0] ?? fromMs
  return (expectedMs - fromMs) / 1000 + settings.graceSeconds
}
