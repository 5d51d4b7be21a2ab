import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { StatusChange } from '../status/observe.ts'
import {
  failuresToHoldDown,
  successesToRelease,
  type HeartbeatDefinition,
  type HeartbeatState,
} from './state.ts'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { nextExpected } from './schedule.ts'
import { durationText } from '../status/duration-text.ts'

/** A success makes a heartbeat up, unless it is held down: then several in a row do. */
export const withSuccess = (state: HeartbeatState): HeartbeatState => {
  const successes = state.health === 'held_down' ? state.consecutiveSuccesses + 1 : 0
  if (state.health === 'held_down' && successes < successesToRelease) {
    return { ...state, consecutiveFailures: 0, consecutiveSuccesses: successes }
  }
  return { ...state, health: 'up', reason: null, consecutiveFailures: 0, consecutiveSuccesses: 0 }
}

/** @param reason one line, for people */
export const withFailure = (state: HeartbeatState, reason: string): HeartbeatState => {
  const failures = state.consecutiveFailures + 1
  const isHeld = state.health === 'held_down' || failures >= failuresToHoldDown
  return {
    ...state,
    health: isHeld ? 'held_down' : 'down',
    reason,
    consecutiveFailures: failures,
    consecutiveSuccesses: 0,
  }
}

/** The owner fixed the cause: still down, but one good run makes it up. */
export const withoutHold = (state: HeartbeatState): HeartbeatState => ({
  ...state,
  health: state.health === 'held_down' ? 'down' : state.health,
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
})

/** A pause: results of earlier runs no longer count. */
export const withoutVerdict = (state: HeartbeatState): HeartbeatState => ({
  ...state,
  health: 'unknown',
  reason: null,
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
})

/** The flip of a paused heartbeat; null if nothing is known about it. */
export const pauseOf = ({ paused, status }: HeartbeatDefinition, atMs: number): StatusChange | null =>
  paused && status !== 'unknown' ? { from: status, to: 'unknown', reason: pausedReason, atMs } : null

/** The reason of a paused heartbeat. */
export const pausedReason = 'paused: pings are recorded, but not expected'

/** The reason of a heartbeat whose schedule names no later time. */
export const endedReason = 'the schedule has ended: no ping is expected any more'

/** Whether nothing is expected any more after a good run: what is not measured is not healthy (S-102). */
export const hasEnded = (
  { health, anchorMs, open }: HeartbeatState,
  { settings }: Pick<HeartbeatDefinition, 'settings'>,
): boolean =>
  health === 'up' &&
  anchorMs !== null &&
  // only these can end
  typeof settings.onCalendar === 'string' &&
  open.every(({ stuck }) => stuck) &&
  nextExpected(settings, anchorMs, 1).length === 0

/** The flip of a heartbeat whose schedule was changed to one that has ended; null if nothing is known about it. */
export const endOf = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  atMs: number,
): StatusChange | null =>
  !definition.paused && definition.status !== 'unknown' && hasEnded(state, definition)
    ? { from: definition.status, to: 'unknown', reason: endedReason, atMs }
    : null

/**
 * The status for a heartbeat's health. Late and running keep the status of the last run, since grace is there
 * to be used.
 */
const statusOfHealth = (health: HeartbeatState['health']): CheckStatus => {
  switch (health) {
    case 'unknown':
      return 'unknown'
    case 'up':
      return 'operational'
    case 'down':
    case 'held_down':
      return 'down'
    default:
      return health satisfies never
  }
}

/** The flip to a new state; null if the status stays the same, and always while paused. */
export const flipOf = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  atMs: number,
): StatusChange | null => {
  if (hasEnded(state, definition)) return endOf(state, definition, atMs)
  const to = statusOfHealth(state.health)
  if (definition.paused || to === definition.status || to === 'unknown') return null
  return { from: definition.status, to, reason: state.reason, atMs }
}

/**
 * Why a heartbeat is down, one line each. A message from the job stays with its run, because reasons can be
 * public.
 */
export const failReason = 'the job reported a failure'

export const exitReason = (exitCode: number): string => `the job ended with exit code ${exitCode}`

export const stuckReason = ({ maxRuntimeSeconds }: HeartbeatSettings): string =>
  `the job did not end within its max runtime of ${durationText((maxRuntimeSeconds ?? 0) * 1000)}`

/** Not a failure of the job. */
export const unwatchedReason = 'no end was received, but for part of the time no ping could be received'

export const supersededReason = 'a later run started before this one ended'

/** Mentions a ping that came too early for the schedule to count it. */
export const missedReason = (
  expectedMs: number,
  lastPingAtMs: number | null,
  { periodSeconds, graceSeconds }: HeartbeatSettings,
): string => {
  const due = `no ping came by ${instantText(expectedMs)} and ${durationText(graceSeconds * 1000)} of grace`
  const earlyMs = lastPingAtMs === null ? 0 : expectedMs - lastPingAtMs
  return periodSeconds === null && earlyMs > 0 && earlyMs <= graceSeconds * 1000
    ? `${due}; the last one came ${durationText(earlyMs)} before that time`
    : due
}

const instantText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
