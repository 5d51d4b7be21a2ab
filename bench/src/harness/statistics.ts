/** The middle value, or the mean of the two in the middle. NaN of nothing. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/**
 * The nearest-rank percentile: the smallest value such that at least `share` of all values are not above it.
 * @param share in (0, 1]
 */
export const percentile = (values: readonly number[], share: number): number => {
  const sorted = Float64Array.from(values).toSorted()
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

/**
 * A figure of each fifth of a series in order. It shows how far the figure moves, where five whole runs would
 * take too long.
 */
export const byFifths = (
  values: readonly number[],
  figureOf: (values: readonly number[]) => number,
): number[] =>
  Array.from({ length: 5 }, (_, n) =>
    figureOf(values.slice(Math.floor((n * values.length) / 5), Math.floor(((n + 1) * values.length) / 5))),
  )

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
export const createRandom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The ratio of each value to the one measured in the same round. */
export const ratios = (values: readonly number[], others: readonly number[]): number[] =>
  values.map((value, at) => value / (others[at] ?? Number.NaN))
