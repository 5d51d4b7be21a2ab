import { backoffMs as doubledMs, fullJitter, halfJitter } from '@probe-mesh/runtime/backoff'

const unavailable = { firstMs: 100, maxMs: 30_000 }
const refused = { firstMs: 1_000, maxMs: 300_000 }

/**
 * Pause before the next try, ms. Full jitter: agents that lost the bus together do not return
 * together.
 * @param attempt 0 after the first failure
 * @param random in [0, 1)
 */
export const backoffMs = (attempt: number, random: number): number =>
  fullJitter(doubledMs(unavailable, attempt + 1), random)

/** The same after a refusal, which will likely repeat: at least half the pause is kept. */
export const refusedBackoffMs = (attempt: number, random: number): number =>
  halfJitter(doubledMs(refused, attempt + 1), random)
