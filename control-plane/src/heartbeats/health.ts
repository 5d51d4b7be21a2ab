import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { StatusChange } from '../status/observe.ts'
import { failuresToHoldDown, successesToRelease } from './state.ts'
import type { HeartbeatDefinition, HeartbeatState } from './state.ts'

/** A success makes a heartbeat good, but one that is held down only after several in a row. */
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

/** Its owner says that the cause is mended: still down, but the next good run counts as it usually does. */
export const withoutHold = (state: HeartbeatState): HeartbeatState => ({
  ...state,
  health: state.health === 'held_down' ? 'down' : state.health,
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
})

/**
 * The status that a heartbeat's health means. Late and running are still what the last run said:
 * grace is there to be used.
 */
export const statusOfHealth = (health: HeartbeatState['health']): CheckStatus => {
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

/** The flip that a state leads to; null where the status stays, and always while paused. */
export const flipOf = (
  state: HeartbeatState,
  definition: HeartbeatDefinition,
  atMs: number,
): StatusChange | null => {
  const to = statusOfHealth(state.health)
  if (definition.paused || to === definition.status || to === 'unknown') return null
  return { from: definition.status, to, reason: state.reason, atMs }
}
