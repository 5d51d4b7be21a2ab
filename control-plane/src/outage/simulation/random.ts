/** Chance that is the same in every run of a seed. */
export type Random = {
  /** In [0, 1). */
  uniform: () => number
  /** Of mean 0 and standard deviation 1. */
  normal: () => number
  exponential: (mean: number) => number
  poisson: (mean: number) => number
  /** Of median 1: most near it, some far out. */
  heavyTailed: (shape: number) => number
}

/** Numbers from a seed (mulberry32), in the shapes that simulations need. */
export const createRandom = (seed: number): Random => {
  let state = seed
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const normal = (): number => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
  const poisson = (mean: number): number => {
    if (mean > 30) return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal()))
    const floor = Math.exp(-mean)
    let count = 0
    for (let product = uniform(); product > floor; product *= uniform()) count += 1
    return count
  }
  return {
    uniform,
    normal,
    poisson,
    exponential: (mean) => -mean * Math.log(1 - uniform()),
    heavyTailed: (shape) => (2 * (1 - uniform())) ** (-1 / shape),
  }
}

/** Noise that remembers: each value is `memory` of the one before it, with a standing deviation. */
export const createDrift = (random: Random, deviation: number, memory: number): (() => number) => {
  let value = deviation * random.normal()
  return () => {
    value = memory * value + deviation * Math.sqrt(1 - memory ** 2) * random.normal()
    return value
  }
}

/**
 * A day's and a week's course around 1: quiet at four at night and at weekends.
 * @param hours since a Monday
 */
export const seasonAt = (hours: number, dailySwing: number, weekend: number): number => {
  const day = 1 - dailySwing * Math.cos((2 * Math.PI * (hours - 4)) / 24)
  return Math.floor(hours / 24) % 7 >= 5 ? day * weekend : day
}
