const firstMs = 100
const lastMs = 30_000

/**
 * How long to wait before a try is repeated, ms: full jitter, so that agents which lost the bus
 * together do not come back together.
 * @param attempt 0 for the wait after the first failure
 * @param random in [0, 1)
 */
export const backoffMs = (attempt: number, random: number): number =>
  random * Math.min(lastMs, firstMs * 2 ** Math.min(attempt, 20))
