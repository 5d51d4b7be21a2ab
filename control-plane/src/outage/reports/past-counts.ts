import { quarterMs, usualQuarters } from '../unusual-reports.ts'
import type { CountedQuarter } from './report-counts-store.ts'

/** Quarters known ahead: while Postgres is away for less, what is usual stays known. */
const quartersAhead = 4

/** The quarters that are compared with now, and in the hour to come. */
export const quartersToKnow = (nowMs: number): number[] => {
  const instants = Array.from({ length: quartersAhead + 1 }, (_, at) => nowMs + at * quarterMs)
  return [...new Set(instants.flatMap((atMs) => usualQuarters(atMs).map(({ fromMs }) => fromMs)))]
}

/** What was counted in the quarters that now is compared with. */
export type Usual = {
  /** Replaces what is known. */
  learn(rows: readonly CountedQuarter[]): void
  /** One count for each of the `usualQuarters` that was counted, newest week first. */
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
