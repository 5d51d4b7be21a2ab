import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import type { Reading, Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { observeReading, observeTime, type StatusChange } from './observe.ts'
import { newCheckState, type CheckSchedule, type CheckState } from './state.ts'

export const checkId = '01890000-0000-7000-8000-000000000001'

/** A reading of the test check; a down one has an answer. Times are Unix milliseconds. */
export const readingAt = (
  region: Region,
  verdict: Verdict,
  atMs: number,
  more: Partial<Reading> = {},
): Reading => ({
  checkId,
  region,
  slot: atMs,
  kind: 'scheduled',
  number: 0,
  verdict,
  fault: verdict === 'down' ? 'target' : verdict === 'unmeasured' ? 'probe' : 'none',
  cause: verdict === 'down' ? 'status_mismatch' : verdict,
  reason: verdict === 'up' ? null : `${verdict} for the test`,
  httpStatus: verdict === 'up' ? 200 : 503,
  latencyMs: 12.3,
  timings: noTimings,
  measuredAt: atMs,
  attempts: verdict === 'down' ? 2 : 1,
  lateMs: 0,
  address: null,
  certificateExpiresAt: null,
  ...more,
})

/** The same in a confirmation requested from all regions at once. */
export const answerAt = (
  region: Region,
  verdict: Verdict,
  atMs: number,
  roundAtMs: number = atMs,
  more: Partial<Reading> = {},
): Reading => readingAt(region, verdict, atMs, { kind: 'confirmation', slot: roundAtMs, ...more })

/** The same, but a down reading has no answer. */
export const unansweredAt = (
  region: Region,
  verdict: Verdict,
  atMs: number,
  more: Partial<Reading> = {},
): Reading =>
  readingAt(region, verdict, atMs, {
    ...(verdict === 'down' && { cause: 'connect_timeout', httpStatus: null }),
    ...more,
  })

/** Feeds readings and silence to the state machine and records every change. */
export const play = (schedule: CheckSchedule) => {
  let state: CheckState = newCheckState
  const changes: StatusChange[] = []
  const confirmed: (readonly Region[])[] = []
  return {
    state: () => state,
    changes,
    confirmed,
    observe: (reading: Reading, nowMs: number = reading.measuredAt) => {
      const assessment = observeReading(state, schedule, reading, nowMs)
      state = assessment.state
      changes.push(...assessment.changes)
      if (assessment.confirm.length > 0) confirmed.push(assessment.confirm)
      return state.status
    },
    pass: (nowMs: number) => {
      const assessment = observeTime(state, schedule, nowMs)
      state = assessment.state
      changes.push(...assessment.changes)
      return state.status
    },
  }
}
