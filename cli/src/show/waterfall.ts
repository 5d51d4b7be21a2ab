import { widthOf } from '../file/text-width.ts'
import { showLine } from '../plan/show-value.ts'
import type { Display } from './display.ts'
import { fitWidth, padding } from './fit-width.ts'

/** A part of a measurement. Without a length its position is unknown. */
export type Span = { label: string; startMs: number; lengthMs: number | null; value: string }

const gap = '  '
const barMin = 8
const barMax = 60
const labelShareMax = 0.4

/**
 * One line per part: its label, a bar at its position, its value. All groups share one scale, so
 * that lengths are comparable.
 * @param indent prefix of every line
 */
export const waterfall = (
  display: Display,
  groups: readonly (readonly Span[])[],
  indent: string,
): string[][] => {
  const spans = groups.flat()
  const room = display.columns - indent.length
  const value = Math.max(0, ...spans.map((span) => widthOf(span.value)))
  const label = Math.min(
    Math.max(0, ...spans.map((span) => widthOf(showLine(span.label)))),
    Math.max(4, Math.floor(room * labelShareMax)),
  )
  const bar = Math.min(barMax, room - label - value - 2 * gap.length)
  const scaleMs = Math.max(0, ...spans.map((span) => span.startMs + (span.lengthMs ?? 0)))
  return groups.map((group) =>
    group.map((span) => {
      const name = fitWidth(display, showLine(span.label), label)
      const drawn = bar < barMin ? [] : [barOf(display, span, { scaleMs, cells: bar })]
      const figure = padding(span.value, value) + span.value
      return indent + [name + padding(name, label), ...drawn, figure].join(gap)
    }),
  )
}

/** Anything that took time has at least one cell. */
const barOf = (
  { isUtf8 }: Display,
  { startMs, lengthMs }: Span,
  { scaleMs, cells }: { scaleMs: number; cells: number },
): string => {
  if (lengthMs === null || lengthMs <= 0 || scaleMs <= 0) return ' '.repeat(cells)
  const length = Math.max(1, Math.round((lengthMs / scaleMs) * cells))
  const start = Math.min(Math.floor((startMs / scaleMs) * cells), cells - length)
  return `${' '.repeat(start)}${(isUtf8 ? '█' : '#').repeat(length)}`.padEnd(cells)
}
