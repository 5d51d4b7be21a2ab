import { backoffMs as doubledMs, fullJitter, halfJitter } from '@probe-mesh/runtime/backoff'

const away = { firstMs: 100, maxMs: 30_000 }
const refused = { firstMs: 1_000, maxMs: 300_000 }

/**
 * How long to wait before a try is repeated, ms: full jitter, so that agents which lost the bus
 * together do not come back together.
 * @param attempt 0 for the wait after the first failure
 * @param random in [0, 1)
 */
export const backoffMs = (attempt: number, random: number): number =>
  fullJitter(doubledMs(away, attempt + 1), random)

/** The same where the bus refuses: it will mostly refuse again, and half a wait at least is kept. */
export const refusedBackoffMs = (attempt: number, random: number): number =>
  halfJitter(doubledMs(refused, attempt + 1), random)
