import type { Reading } from '@probe-mesh/contracts/reading/reading'

/** Rounds to tenths of a millisecond, as agents report times. */
export const tenths = (ms: number): number => Math.round(ms * 10) / 10

/** The reading of an http check with these times, up or with a status of 503. */
export const timedReading = (
  run: Pick<Reading, 'checkId' | 'region' | 'slot' | 'lateMs' | 'address'> & {
    isUp: boolean
    timings: NonNullable<Reading['timings']>
    /** Unix ms. */
    certificateExpiresAt: number
  },
): Reading => {
  const { isUp, timings, ...more } = run
  return {
    ...more,
    kind: 'scheduled',
    number: 0,
    verdict: isUp ? 'up' : 'down',
    fault: isUp ? 'none' : 'target',
    cause: isUp ? 'ok' : 'status_mismatch',
    reason: isUp ? null : 'expected a status from 200 to 299, got 503',
    httpStatus: isUp ? 200 : 503,
    latencyMs: tenths(Object.values(timings).reduce((sum: number, ms) => sum + (ms ?? 0), 0)),
    timings,
    measuredAt: more.slot + more.lateMs,
    attempts: isUp ? 1 : 2,
  }
}
