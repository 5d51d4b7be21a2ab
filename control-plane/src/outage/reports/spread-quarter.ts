import type { ReportCount } from './report-counts-store.ts'

const minuteMs = 60_000
const minutesPerQuarter = 15

/**
 * A quarter's reports spread evenly over its minutes until now, what does not divide going to the
 * earliest: their sum is what was counted, and where they fell in the quarter is the best guess.
 */
export const spreadQuarter = (
  { quarterMs, reports }: ReportCount,
  nowMs: number,
): { atMs: number; count: number }[] => {
  const begun = Math.floor((nowMs - quarterMs) / minuteMs) + 1
  const minutes = Math.min(minutesPerQuarter, Math.max(1, begun))
  const [each, rest] = [Math.floor(reports / minutes), reports % minutes]
  return Array.from({ length: minutes }, (_, minute) => ({
    atMs: quarterMs + minute * minuteMs,
    count: each + (minute < rest ? 1 : 0),
  })).filter(({ count }) => count > 0)
}
