import { z } from 'zod'
import { field } from '../schema/field.ts'

/** The range of a custom timeout, seconds. */
const timeoutSecondsMin = 1
export const timeoutSecondsMax = 30

export const TimeoutSeconds = z
  .int(`must be whole seconds, ${timeoutSecondsMin} to ${timeoutSecondsMax}`)
  .min(timeoutSecondsMin)
  .max(timeoutSecondsMax)

/** The default is 10 s, or 0.4 of the interval if that is less. */
export const timeoutSeconds = field(TimeoutSeconds.optional(), 'Of an attempt. Absent: by the interval.', 10)

/** The longest attempt in tenths of the interval, with and without an immediate retry. */
const tenthsWithRetry = 4
const tenthsAlone = 9

const fits = (timeoutSeconds: number, intervalSeconds: number, tenths: number): boolean =>
  timeoutSeconds * 10 <= intervalSeconds * tenths

/** Whether two attempts fit in the interval. Otherwise there is no retry. */
export const leavesRoomForRetry = (timeoutSeconds: number, intervalSeconds: number): boolean =>
  fits(timeoutSeconds, intervalSeconds, tenthsWithRetry)

/** The longest attempt in an interval, with and without a retry, seconds. */
export const timeoutsOf = (intervalSeconds: number): { withRetry: number; alone: number } => {
  const most = (tenths: number): number =>
    Math.min(timeoutSecondsMax, Math.floor((intervalSeconds * tenths) / 10))
  return { withRetry: most(tenthsWithRetry), alone: most(tenthsAlone) }
}

/** The error of a timeout at this interval; null when it fits (S-211). */
export const timeoutProblem = (
  timeoutSeconds: number | undefined,
  intervalSeconds: number,
): string | null => {
  if (timeoutSeconds === undefined || fits(timeoutSeconds, intervalSeconds, tenthsAlone)) return null
  const { withRetry, alone } = timeoutsOf(intervalSeconds)
  if (alone < timeoutSecondsMin) {
    return `an interval of ${intervalSeconds} s leaves no room for a timeout; leave it out`
  }
  return `must be at most ${alone} s at an interval of ${intervalSeconds} s, and at most ${withRetry} s for a retry at once`
}

/**
 * The verdict for a bare 403 or 429 on a check of an account. The default is `down`, since the owner knows whether
 * the target should accept the probe.
 */
export const RefusedAs = field(z.enum(['down', 'blocked']), 'A bare 403 or 429. Absent: `down`.')
export type RefusedAs = z.infer<typeof RefusedAs>
