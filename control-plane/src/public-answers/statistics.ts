/** The middle value, or the mean of the two in the middle; NaN for an empty list. */
export const median = (values: readonly number[]): number => {
  const sorted = Float64Array.from(values).toSorted()
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN
  return (lower + upper) / 2
}

/**
 * A robust standard deviation: the scaled median absolute deviation, which a few outliers do not change. NaN
 * for an empty list.
 */
export const spread = (values: readonly number[]): number => {
  const middle = median(values)
  return 1.4826 * median(values.map((value) => Math.abs(value - middle)))
}

/**
 * The nearest-rank percentile: the smallest value that at least `share` of all values do not exceed. NaN for
 * an empty list.
 * @param share in (0, 1]
 */
export const percentile = (ascending: ArrayLike<number>, share: number): number =>
  ascending[Math.max(0, Math.ceil(share * ascending.length) - 1)] ?? Number.NaN

/**
 * Fisher's exact test, one-sided: the probability of at least `hits` marked items in a random draw of `drawn`
 * items from a population with `marked` marked items.
 */
export const fisherExactChance = (draw: {
  population: number
  marked: number
  drawn: number
  hits: number
}): number => {
  const { population, marked, drawn, hits } = draw
  const most = Math.min(marked, drawn)
  const least = Math.max(0, drawn + marked - population)
  if (hits <= least) return 1
  if (hits > most) return 0
  const all = logChoose(population, drawn)
  let chance = 0
  for (let k = hits; k <= most; k += 1) {
    chance += Math.exp(logChoose(marked, k) + logChoose(population - marked, drawn - k) - all)
  }
  return Math.min(1, chance)
}

const logChoose = (n: number, k: number): number => logFactorial(n) - logFactorial(k) - logFactorial(n - k)

const logFactorials = [0]

const logFactorial = (n: number): number => {
  for (let k = logFactorials.length; k <= n; k += 1) {
    logFactorials.push((logFactorials[k - 1] ?? 0) + Math.log(k))
  }
  return logFactorials[n] ?? Number.NaN
}
