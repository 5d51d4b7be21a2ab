import type { TrendState } from '@probe-mesh/contracts/check/check-row'
import type { Display } from './display.ts'

/** Worst first. */
const order: readonly TrendState[] = ['down', 'degraded', 'stale', 'operational', 'no_data']

const marks: Readonly<Record<TrendState, readonly [glyph: string, ascii: string]>> = {
  operational: ['▂', '.'],
  stale: ['░', '~'],
  degraded: ['▄', '-'],
  down: ['█', 'x'],
  no_data: [' ', ' '],
}

export const trendMark = ({ isUtf8 }: Pick<Display, 'isUtf8'>, state: TrendState): string =>
  (marks[state] ?? marks.no_data)[isUtf8 ? 0 : 1]

/** A trend in fewer parts, each the worst of its slots. */
export const shortTrend = (trend: readonly TrendState[], parts: number): TrendState[] => {
  const size = Math.max(1, Math.ceil(trend.length / parts))
  return Array.from({ length: Math.ceil(trend.length / size) }, (_, part) => {
    const slots = new Set(trend.slice(part * size, (part + 1) * size))
    return order.find((state) => slots.has(state)) ?? 'no_data'
  })
}

const hours = 24

/** The last 24 hours, one mark an hour: higher is worse, and a gap was not measured. */
export const trendBars = (display: Pick<Display, 'isUtf8'>, trend: readonly TrendState[]): string =>
  shortTrend(trend, hours)
    .map((state) => trendMark(display, state))
    .join('')
