import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'

/** The time that batching, the bus and the assessor may take before a reading counts as missing. */
const deliveryMs = 5_000

/**
 * How long a reading stays fresh: two intervals, two attempts, and its delivery (S-902). @returns
 * milliseconds after `measuredAt`
 */
export const staleAfterMs = (intervalSeconds: number): number =>
  2 * intervalSeconds * 1000 + 2 * attemptDeadlineMs(intervalSeconds) + deliveryMs

/** The time until every region has measured a check once more and delivered the reading. @returns ms */
export const roundMsOf = (intervalSeconds: number): number =>
  staleAfterMs(intervalSeconds) - intervalSeconds * 1000

/**
 * How long a failure without an answer is held back: the time of two attempts and their delivery. If the
 * region's own network fails, other hosts show it in that time. @returns ms
 */
export const weighMsOf = (intervalSeconds: number): number =>
  staleAfterMs(intervalSeconds) - 2 * intervalSeconds * 1000
