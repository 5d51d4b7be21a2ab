import type { Series, SeriesPoint } from '@probe-mesh/contracts/check/check'

/** One step as charts draw it. */
export type ChartPoint = Pick<
  SeriesPoint,
  'p50Ms' | 'p95Ms' | 'up' | 'down' | 'blocked' | 'unmeasured' | 'measured'
> & {
  /** Readings that were due and not measured; null where nobody counts them. */
  lost: number | null
}

/** What charts over time are drawn from. */
export type ChartSeries = Pick<Series, 'from' | 'to' | 'stepSeconds'> & {
  points: readonly ChartPoint[]
}

/** Whether what was due is known, so that a chart can say what is missing of it. */
export const countsLost = ({ points }: ChartSeries): boolean => points.some(({ lost }) => lost !== null)
