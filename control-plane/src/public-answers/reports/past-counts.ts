import { quarterMs, usualQuarters } from '../unusual-reports.ts'
import type { CountedQuarter } from './report-counts-store.ts'

/** Quarters loaded ahead, so that a short Postgres outage does not lose the usual counts. */
const quartersAhead = 4

/** The quarters to compare with, for now and for the coming hour. */
export const quartersToKnow = (nowMs: number): number[] => {
  const instants = Array.from({ length: quartersAhead + 1 }, (_, at) => nowMs + at * quarterMs)
  return [...new Set(instants.flatMap((atMs) => usualQuarters(atMs).map(({ fromMs }) => fromMs)))]
}

/** Counts of the quarters that the current quarter is compared with. */
export type Usual = {
  /** Replaces all counts. */
  learn(rows: readonly CountedQuarter[]): void
  /** One count per counted quarter of `usualQuarters`, newest week first. */
  of(slug: string, nowMs: number): number[]
}

export const createUsual = (): Usual => {
  let counted = new Set<number>()
  let services = new Map<string, Map<number, number>>()
  return {
    learn: (rows) => {
      counted = new Set(rows.map((row) => row.quarterMs))
      services = new Map()
      for (const { slug, quarterMs: fromMs, reports } of rows) {
        if (slug === null) continue
        const quarters = services.get(slug) ?? new Map<number, number>()
        services.set(slug, quarters.set(fromMs, reports))
      }
    },
    of: (slug, nowMs) => {
      const quarters = services.get(slug)
      return usualQuarters(nowMs)
        .filter(({ fromMs }) => counted.has(fromMs))
        .map(({ fromMs }) => quarters?.get(fromMs) ?? 0)
    },
  }
}
