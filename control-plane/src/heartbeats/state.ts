import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { HeartbeatSettings, RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'

/** A run without an end. A stuck run stays open, since it may still end. */
export type OpenRun = { id: string; rid: string | null; startedAtMs: number; stuck: boolean }

/** The state of a heartbeat, as JSON in its row. Times are Unix milliseconds. */
export type HeartbeatState = {
  /** By the results of its runs: `unknown` until the first one ends. */
  health: 'unknown' | 'up' | 'down' | 'held_down'
  /** Why it is down, for people; otherwise null. */
  reason: string | null
  lastPingAtMs: number | null
  /** The start of the wait for the next ping; null before the first one: none is expected. */
  anchorMs: number | null
  /**
   * The anchor is only the latest time at which the last ping may have come. With a period, the next one may
   * come at any time since then, and an outage may have lost it.
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

/** The settings that the verdict on a heartbeat depends on. */
export type HeartbeatDefinition = {
  settings: HeartbeatSettings
  paused: boolean
  /** Since when this definition applies: a change or resume makes nothing late before it. */
  validFromMs: number
  /** The recorded status of the check: a flip is a change of it. */
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
  /** null keeps the stored message of the run. */
  message: string | null
}

/** Failures in a row that hold a heartbeat down, and good runs in a row that release it (S-607). */
export const failuresToHoldDown = 3
export const successesToRelease = 2

/** Open runs kept in the state; beyond, the oldest are abandoned. */
export const openRunsMax = 50
