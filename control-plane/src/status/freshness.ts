import { attemptDeadlineMs } from '@probe-mesh/contracts/assignment'

/** What batching, the bus and the assessor may take before a reading counts as missing. */
const deliveryMs = 5_000

/**
 * How long a reading stays fresh: two intervals, a slot's two attempts, and its delivery
 * (reliability.md U4). @returns milliseconds after `measuredAt`
 */
export const staleAfterMs = (intervalSeconds: number): number =>
  2 * intervalSeconds * 1000 + 2 * attemptDeadlineMs(intervalSeconds) + deliveryMs
