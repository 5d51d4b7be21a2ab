import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { Heartbeat, HeartbeatStateName, Run } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { expectedAtMs } from './clocks.ts'
import { nextExpected } from './schedule.ts'
import { endedReason, hasEnded, pausedReason } from './health.ts'
import { successesToRelease, type HeartbeatDefinition, type HeartbeatState, type RunRecord } from './state.ts'

type HeartbeatDescription = Pick<
  Heartbeat,
  'state' | 'lastPingAt' | 'nextExpectedAt' | 'heldDown' | 'consecutiveFailures'
> & { statusReason: string | null }

/**
 * A heartbeat at `nowMs`. After a good run, late and running are names of states that are still operational.
 */
export const describeHeartbeat = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  nowMs: number,
): HeartbeatDescription => {
  const name = nameOf(state, definition, nowMs)
  return {
    state: name,
    lastPingAt: isoOf(state.lastPingAtMs),
    nextExpectedAt: definition.paused ? null : isoOf(nextTimeMs(state, definition, nowMs)),
    heldDown: state.health === 'held_down',
    consecutiveFailures: state.consecutiveFailures,
    statusReason:
      hasEnded(state, definition) && !definition.paused ? endedReason : reasonOf(name, state, definition),
  }
}

/**
 * Before the first ping of a schedule its next time, for the one who sets it up: nothing waits for it yet, and it is
 * never late. A period counts from the first ping (S-615).
 */
const nextTimeMs = (state: HeartbeatState, { settings }: HeartbeatDefinition, nowMs: number): number | null =>
  state.anchorMs === null && settings.periodSeconds === null
    ? (nextExpected(settings, nowMs, 1)[0] ?? null)
    : expectedAtMs(state, settings)

/** No data is never healthy (S-102): the last status of a paused heartbeat does not describe its job now. */
export const heartbeatStatus = ({
  paused,
  status,
}: Pick<HeartbeatDefinition, 'paused' | 'status'>): CheckStatus => (paused ? 'unknown' : status)

const nameOf = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  nowMs: number,
): HeartbeatStateName => {
  if (definition.paused) return 'paused'
  if (state.health === 'held_down') return 'held_down'
  if (isRunning(state, definition)) return 'running'
  if (state.health === 'down') return 'down'
  if (state.health === 'unknown') return 'new'
  const expectedMs = expectedAtMs(state, definition.settings)
  return expectedMs !== null && nowMs >= expectedMs ? 'late' : 'up'
}

/**
 * Without a max runtime, a run that later runs have overtaken may never end, and does not count as running.
 */
const isRunning = (state: HeartbeatState, { settings }: HeartbeatDefinition): boolean =>
  state.open.some(
    (run) => !run.stuck && (settings.maxRuntimeSeconds !== null || run.startedAtMs === state.anchorMs),
  )

const reasonOf = (
  name: HeartbeatStateName,
  state: HeartbeatState,
  { settings }: HeartbeatDefinition,
): string | null => {
  switch (name) {
    case 'new':
      return state.lastPingAtMs === null ? 'no ping yet' : 'no run has ended since it was resumed'
    case 'paused':
      return pausedReason
    case 'late': {
      const expected = isoOf(expectedAtMs(state, settings))?.replace('.000Z', 'Z')
      return `late: a ping was expected at ${expected}, and the grace period has not ended`
    }
    case 'up':
    case 'running':
    case 'down':
      return state.reason
    case 'held_down':
      return `${state.reason ?? 'failed'}; held down until ${successesToRelease} good runs in a row`
    default:
      return name satisfies never
  }
}

/** A run as the API returns it. */
export const describeRun = (run: RunRecord): Run => ({
  id: run.id,
  startedAt: isoOf(run.startedAtMs),
  finishedAt: isoOf(run.finishedAtMs),
  outcome: run.outcome,
  durationMs:
    run.startedAtMs === null || run.finishedAtMs === null
      ? null
      : Math.max(0, run.finishedAtMs - run.startedAtMs),
  stuck: run.stuck,
  exitCode: run.exitCode,
  message: run.message,
})

const isoOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())
