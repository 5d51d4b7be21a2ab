import { attemptDeadlineMs } from '@probe-mesh/contracts/mesh/assignment'

/** What batching, the bus and the assessor may take before a reading counts as missing. */
const deliveryMs = 5_000

/**
 * How long a reading stays fresh: two intervals, a slot's two attempts, and its delivery
 * (S-902). @returns milliseconds after `measuredAt`
 */
export const staleAfterMs = (intervalSeconds: number): number =>
  2 * intervalSeconds * 1000 + 2 * attemptDeadlineMs(intervalSeconds) + deliveryMs

/** How long it takes until every region has measured a check once more, and told it. @returns ms */
export const roundMsOf = (intervalSeconds: number): number =>
  staleAfterMs(intervalSeconds) - intervalSeconds * 1000

/**
 * How long one region's failure without an answer is weighed before it is told: as long as two attempts and
 * their delivery take, in which its own network's failure shows by other hosts. @returns ms
 */
export const weighMsOf = (intervalSeconds: number): number =>
  staleAfterMs(intervalSeconds) - 2 * intervalSeconds * 1000
