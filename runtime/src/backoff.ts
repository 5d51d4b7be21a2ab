/** Exponential backoff: the wait doubles with each consecutive failure, up to a maximum, ms. */
type Backoff = { readonly firstMs: number; readonly maxMs: number }

/** Keeps the power finite after many failures. */
const doublingsMax = 30

/** @param failures consecutive failures, from 1; a smaller number gives the first wait */
export const backoffMs = ({ firstMs, maxMs }: Backoff, failures: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(Math.max(0, failures - 1), doublingsMax))

/**
 * Any wait up to the whole: clients that failed together do not retry together.
 * @param random in [0, 1)
 */
export const fullJitter = (waitMs: number, random: number): number => random * waitMs

/** At least half of the wait, for a server that will probably refuse again. @param random in [0, 1) */
export const halfJitter = (waitMs: number, random: number): number => (0.5 + random / 2) * waitMs
