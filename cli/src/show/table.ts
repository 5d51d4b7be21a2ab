import { widthOf } from '../file/text-width.ts'
import { showLine } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import type { Display } from './display.ts'
import { fitWidth, padding } from './fit-width.ts'

export type Style = Parameters<typeof paint>[1]
export type Cell = string | { text: string; style: Style }

export type Column = {
  title: string
  align?: 'right'
  /** The column may be cut to this width; otherwise it is never cut. */
  min?: number
  /** If space is short, the columns with the highest number are left out together. */
  dropOrder?: number
}

const gap = '  '

/**
 * A table that fits the terminal: columns are left out, then cut. In a pipe it has its whole width. Cells cannot print control
 * characters.
 * @param rows one cell for each column
 */
export const tableLines = (
  display: Display,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): string[] => {
  const texts = rows.map((row) => row.map((cell) => showLine(textOf(cell))))
  const natural = columns.map(({ title }, n) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[n] ?? ''))),
  )
  const widths = fitColumns(display.tableColumns ?? display.columns, columns, natural)
  const line = (cells: readonly string[], styleOf: (n: number) => Style | null): string => {
    const kept = columns.flatMap((column, n) => {
      const width = widths[n] ?? 0
      if (width === 0) return []
      const text = fitWidth(display, cells[n] ?? '', width)
      const style = styleOf(n)
      const painted = style === null ? text : paint(display, style, text)
      const space = padding(text, width)
      return [column.align === 'right' ? space + painted : painted + space]
    })
    return kept.join(gap).trimEnd()
  }
  return [
    line(
      columns.map(({ title }) => title),
      () => 'dim',
    ),
    ...rows.map((row, n) => line(texts[n] ?? [], (column) => styleOf(row[column] ?? ''))),
  ]
}

const textOf = (cell: Cell): string => (typeof cell === 'string' ? cell : cell.text)
const styleOf = (cell: Cell): Style | null => (typeof cell === 'string' ? null : cell.style)

/** @returns the width of each column; 0: left out */
const fitColumns = (room: number, columns: readonly Column[], natural: readonly number[]): number[] => {
  const isKept = columns.map(() => true)
  const least = columns.map(({ min }, n) => Math.min(natural[n] ?? 0, min ?? Number.MAX_VALUE))
  const sum = (widths: readonly number[]): number => {
    const kept = widths.filter((_, n) => isKept[n])
    return kept.reduce((total, width) => total + width, gap.length * (kept.length - 1))
  }
  while (sum(least) > room) {
    const dropOrder = Math.max(...columns.map(({ dropOrder }, n) => (isKept[n] ? (dropOrder ?? 0) : 0)))
    if (dropOrder === 0) break
    columns.forEach((column, n) => {
      if (column.dropOrder === dropOrder) isKept[n] = false
    })
  }
  const widths = least.map((width, n) => (isKept[n] ? width : 0))
  let left = room - sum(least)
  for (const [n, width] of widths.entries()) {
    if (width === 0 || left <= 0) continue
    const more = Math.min(left, (natural[n] ?? 0) - width)
    widths[n] = width + more
    left -= more
  }
  // even the uncut columns do not fit: the widest are cut
  for (; left < 0; left++) {
    const widest = Math.max(...widths)
    if (widest <= 1) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}
