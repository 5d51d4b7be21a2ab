import type { Figure } from './figure.ts'

/** One amount of work and what it cost. */
export type Step = { work: number; cost: number }

/**
 * How cost grows with work: the exponent `e` of `cost = a * work ** e` by least squares in logarithms.
 * 0 is no growth, 1 is in proportion. NaN with fewer than two amounts of work.
 */
export const growthExponent = (steps: readonly Step[]): number => {
  const points = steps.map(({ work, cost }) => ({ x: Math.log(work), y: Math.log(cost) }))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [x0, y0] = [mean(points.map(({ x }) => x)), mean(points.map(({ y }) => y))]
  const covariance = points.reduce((sum, { x, y }) => sum + (x - x0) * (y - y0), 0)
  return covariance / points.reduce((sum, { x }) => sum + (x - x0) ** 2, 0)
}

/** In proportion to the work, with some noise. */
const exponentMax = 1.1

/** A figure of growth, for its table in `bench/README.md`. */
export const growthFigure = (growth: {
  figure: string
  /** What has the cost, for people. */
  of: string
  /** The unit of work: `checks`. */
  in: string
  unit: string
  steps: readonly Step[]
}): Figure => ({
  figure: `${growth.figure}_growth`,
  value: growthExponent(growth.steps),
  unit: 'exponent',
  aim: { atMost: exponentMax },
  context: {
    of: growth.of,
    in: growth.in,
    costUnit: growth.unit,
    work: growth.steps.map(({ work }) => work),
    costs: growth.steps.map(({ cost }) => cost),
  },
})
