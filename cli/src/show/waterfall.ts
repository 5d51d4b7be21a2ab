import { widthOf } from '../file/display.ts'
import { showLine } from '../plan/show-value.ts'
import { fitWidth, padding } from './fit-width.ts'
import type { Look } from './look.ts'

/** A stretch of a measurement. Without a length it was told, and nobody knows where it lies. */
export type Span = { label: string; startMs: number; lengthMs: number | null; value: string }

const gap = '  '
const barMin = 8
const barMax = 60
const labelShareMax = 0.4

/**
 * A line for each stretch: its label, a bar that lies where it lay, its value. Every group is drawn
 * on one scale, so that lengths can be compared across them.
 * @param indent before every line
 */
export const waterfall = (
  look: Look,
  groups: readonly (readonly Span[])[],
  indent: string,
): string[][] => {
  const spans = groups.flat()
  const room = look.columns - indent.length
  const value = Math.max(0, ...spans.map((span) => widthOf(span.value)))
  const label = Math.min(
    Math.max(0, ...spans.map((span) => widthOf(showLine(span.label)))),
    Math.max(4, Math.floor(room * labelShareMax)),
  )
  const bar = Math.min(barMax, room - label - value - 2 * gap.length)
  const scaleMs = Math.max(0, ...spans.map((span) => span.startMs + (span.lengthMs ?? 0)))
  return groups.map((group) =>
    group.map((span) => {
      const name = fitWidth(look, showLine(span.label), label)
      const drawn = bar < barMin ? [] : [barOf(look, span, { scaleMs, cells: bar })]
      const figure = padding(span.value, value) + span.value
      return indent + [name + padding(name, label), ...drawn, figure].join(gap)
    }),
  )
}

/** What took any time has a cell at least. */
const barOf = (
  { isUtf8 }: Look,
  { startMs, lengthMs }: Span,
  { scaleMs, cells }: { scaleMs: number; cells: number },
): string => {
  if (lengthMs === null || lengthMs <= 0 || scaleMs <= 0) return ' '.repeat(cells)
  const length = Math.max(1, Math.round((lengthMs / scaleMs) * cells))
  const start = Math.min(Math.floor((startMs / scaleMs) * cells), cells - length)
  return `${' '.repeat(start)}${(isUtf8 ? '█' : '#').repeat(length)}`.padEnd(cells)
}
