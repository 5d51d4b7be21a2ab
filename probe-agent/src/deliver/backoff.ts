const firstMs = 100
const lastMs = 30_000
const refusedFirstMs = 1_000
const refusedLastMs = 300_000

/**
 * How long to wait before a try is repeated, ms: full jitter, so that agents which lost the bus
 * together do not come back together.
 * @param attempt 0 for the wait after the first failure
 * @param random in [0, 1)
 */
export const backoffMs = (attempt: number, random: number): number =>
  random * Math.min(lastMs, firstMs * 2 ** Math.min(attempt, 20))

/** The same where the bus refuses: it will mostly refuse again, and half a wait at least is kept. */
export const refusedBackoffMs = (attempt: number, random: number): number =>
  (0.5 + random / 2) * Math.min(refusedLastMs, refusedFirstMs * 2 ** Math.min(attempt, 20))
