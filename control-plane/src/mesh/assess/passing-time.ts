import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { dueAtMs, observePause, observeTime, saysNothing, type Assessment } from '../../status/observe.ts'
import type { AssessedCheck } from '../../status/states-store.ts'

/** When any region was last measured, with one more reading, Unix ms. */
export const newestAtMs = ({ regions, state }: AssessedCheck, { measuredAt }: Reading): number =>
  Math.max(
    measuredAt,
    ...regions.flatMap((region) => {
      const seen = state.regions[region]
      return seen === undefined ? [] : [seen.measuredAt, seen.unmeasuredAt, seen.suspect?.measuredAt ?? 0]
    }),
  )

/** The passage of time without a reading; a paused check has no readings. */
export const observeSilence = (check: AssessedCheck, nowMs: number): Assessment =>
  check.paused && isProbed(check) ? observePause(check.state, nowMs) : observeTime(check.state, check, nowMs)

/** When the passage of time next changes a check, Unix ms; a pause is due at once. */
export const dueAt = (check: AssessedCheck, nowMs: number): number => {
  if (!check.paused || !isProbed(check)) return dueAtMs(check.state, check, nowMs)
  return saysNothing(check.state) ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY
}

/** Heartbeats have no regions, and their own writer. */
const isProbed = ({ regions }: AssessedCheck): boolean => regions.length > 0
