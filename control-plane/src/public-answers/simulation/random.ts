/** Random numbers that are the same in every run with one seed. */
export type Random = {
  /** In [0, 1). */
  uniform: () => number
  /** With mean 0 and standard deviation 1. */
  normal: () => number
  exponential: (mean: number) => number
  poisson: (mean: number) => number
  /** With median 1, most values near it and some far away. */
  heavyTailed: (shape: number) => number
}

/** Random numbers from a seed (mulberry32), in the distributions that simulations need. */
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

/**
 * Autocorrelated noise: each value keeps the share `memory` of the previous one, with a constant deviation.
 */
export const createDrift = (random: Random, deviation: number, memory: number): (() => number) => {
  let value = deviation * random.normal()
  return () => {
    value = memory * value + deviation * Math.sqrt(1 - memory ** 2) * random.normal()
    return value
  }
}

/**
 * The daily and weekly cycle around 1, with minima at 04:00 and at weekends.
 * @param hours hours since a Monday, 00:00
 */
export const seasonAt = (hours: number, dailySwing: number, weekend: number): number => {
  const day = 1 - dailySwing * Math.cos((2 * Math.PI * (hours - 4)) / 24)
  return Math.floor(hours / 24) % 7 >= 5 ? day * weekend : day
}
