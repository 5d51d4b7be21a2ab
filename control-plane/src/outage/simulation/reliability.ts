/** What was said with a confidence, and whether it was so. */
export type Said = { confidence: number; isTrue: boolean }

/** From each of these up to the next. */
const edges = [0, 0.5, 0.8, 0.9, 0.95, 0.98] as const

type Reliability = {
  from: number
  said: number
  /** The mean of what was said, and the share that was so; NaN of nothing. */
  confidence: number
  isTrue: number
  /** Three standard errors of the share, if what was said is right. */
  slack: number
}

/** How often what was said with each confidence was so: equal, where the confidence is calibrated. */
export const reliabilityOf = (said: readonly Said[]): Reliability[] =>
  edges.map((from, index) => {
    const to = edges[index + 1] ?? Infinity
    const own = said.filter(({ confidence }) => confidence >= from && confidence < to)
    const confidence = own.reduce((sum, one) => sum + one.confidence, 0) / own.length
    return {
      from,
      said: own.length,
      confidence,
      isTrue: own.filter((one) => one.isTrue).length / own.length,
      slack: 3 * Math.sqrt((confidence * (1 - confidence)) / own.length),
    }
  })

/** For people. */
export const reliabilityTable = (said: readonly Said[]): string =>
  [
    'said with       times  mean said  was so',
    ...reliabilityOf(said).map(({ from, said: times, confidence, isTrue }, index) => {
      const to = edges[index + 1] ?? 1
      const shares = times === 0 ? '' : `${confidence.toFixed(3).padEnd(11)}${isTrue.toFixed(3)}`
      return `${`${from} to ${to}`.padEnd(16)}${String(times).padEnd(7)}${shares}`.trimEnd()
    }),
  ].join('\n')
