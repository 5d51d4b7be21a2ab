import { z } from 'zod'

/** How long an answer may take, seconds, where the owner says so. */
export const timeoutSecondsMin = 1
export const timeoutSecondsMax = 30

export const TimeoutSeconds = z
  .int(`must be whole seconds, ${timeoutSecondsMin} to ${timeoutSecondsMax}`)
  .min(timeoutSecondsMin)
  .max(timeoutSecondsMax)

/** Tenths of the interval that an attempt may take: with the immediate retry, and without it. */
const tenthsWithRetry = 4
const tenthsAlone = 9

const fits = (timeoutSeconds: number, intervalSeconds: number, tenths: number): boolean =>
  timeoutSeconds * 10 <= intervalSeconds * tenths

/** Whether two attempts of this length fit the interval: a longer one is made once. */
export const leavesRoomForRetry = (timeoutSeconds: number, intervalSeconds: number): boolean =>
  fits(timeoutSeconds, intervalSeconds, tenthsWithRetry)

/** The longest attempt of an interval, with the retry and without it, seconds. */
export const timeoutsOf = (intervalSeconds: number): { withRetry: number; alone: number } => {
  const most = (tenths: number): number =>
    Math.min(timeoutSecondsMax, Math.floor((intervalSeconds * tenths) / 10))
  return { withRetry: most(tenthsWithRetry), alone: most(tenthsAlone) }
}

/** What is wrong with a timeout at this interval; null where it fits (S-211). Pure. */
export const timeoutProblem = (
  timeoutSeconds: number | undefined,
  intervalSeconds: number,
): string | null => {
  if (timeoutSeconds === undefined || fits(timeoutSeconds, intervalSeconds, tenthsAlone))
    return null
  const { withRetry, alone } = timeoutsOf(intervalSeconds)
  if (alone < timeoutSecondsMin) {
    return `an interval of ${intervalSeconds} s leaves no room for a timeout; leave it out`
  }
  return `must be at most ${alone} s at an interval of ${intervalSeconds} s, and at most ${withRetry} s for a retry at once`
}

/**
 * What a bare 403 or 429 means on a check of an account's own. Absent is `down`: the owner knows whether
 * the probe should have been let in.
 */
export const RefusedAs = z.enum(['down', 'blocked'])
export type RefusedAs = z.infer<typeof RefusedAs>
