/** Random numbers, the same for the same seed. */
export type Random = {
  /** In [0, 1). */
  next(): number
  between(from: number, to: number): number
  whole(from: number, to: number): number
  chance(share: number): boolean
  pick<T>(some: readonly T[]): T
  /** The given number of different entries. */
  some<T>(all: readonly T[], count: number): T[]
}

export const createRandom = (seed: number): Random => {
  let state = (seed * 0x9e3779b1) >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + next() * (to - from)
  const whole = (from: number, to: number): number => Math.floor(between(from, to + 1))
  const pick = <T>(some: readonly T[]): T => {
    const found = some[Math.floor(next() * some.length)]
    if (found === undefined) throw new Error('the list is empty')
    return found
  }
  return {
    next,
    between,
    whole,
    chance: (share) => next() < share,
    pick,
    some: (all, count) =>
      all
        .map((one) => ({ one, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .slice(0, count)
        .map(({ one }) => one),
  }
}
