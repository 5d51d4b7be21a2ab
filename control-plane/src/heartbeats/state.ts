import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { HeartbeatSettings, RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'

/** A run whose end has not been told. One that is stuck stays here: it may still end. */
export type OpenRun = { id: string; rid: string | null; startedAtMs: number; stuck: boolean }

/** What is known of a heartbeat, as JSON in its row. Times are Unix milliseconds. */
export type HeartbeatState = {
  /** By what its runs said: `unknown` until the first of them succeeded or failed. */
  health: 'unknown' | 'up' | 'down' | 'held_down'
  /** Why it is down, for people; null otherwise. */
  reason: string | null
  lastPingAtMs: number | null
  /** From where the next ping is reckoned; null before the first: nothing is expected then. */
  anchorMs: number | null
  /**
   * Whether the anchor is only an instant by which the last one may have come: of a period, the next
   * may then come at any time since, and an outage in between may have taken it.
   */
  adrift: boolean
  consecutiveFailures: number
  /** Since it was held down. */
  consecutiveSuccesses: number
  open: OpenRun[]
}

export const newHeartbeatState: HeartbeatState = {
  health: 'unknown',
  reason: null,
  lastPingAtMs: null,
  anchorMs: null,
  adrift: false,
  consecutiveFailures: 0,
  consecutiveSuccesses: 0,
  open: [],
}

/** What a heartbeat is judged by. */
export type HeartbeatDefinition = {
  settings: HeartbeatSettings
  paused: boolean
  /** Since when it is as it is: nothing is late by what was changed or resumed only now. */
  validFromMs: number
  /** The check's status on record: a flip is a difference to it. */
  status: CheckStatus
}

/** A run as it is stored. Times are Unix milliseconds. */
export type RunRecord = {
  id: string
  rid: string | null
  startedAtMs: number | null
  finishedAtMs: number | null
  outcome: RunOutcome
  stuck: boolean
  exitCode: number | null
  /** null keeps the message that the run has already. */
  message: string | null
}

/** Failures in a row that hold a heartbeat down, and good runs in a row that release it (S-607). */
export const failuresToHoldDown = 3
export const successesToRelease = 2

/** Runs without an end that are remembered; beyond, the eldest is given up. */
export const openRunsMax = 50
