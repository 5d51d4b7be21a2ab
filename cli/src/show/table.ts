import { widthOf } from '../file/display.ts'
import { showLine } from '../plan/show-value.ts'
import { paint } from '../terminal/paint.ts'
import { fitWidth, padding } from './fit-width.ts'
import type { Look } from './look.ts'

export type Style = Parameters<typeof paint>[1]
export type Cell = string | { text: string; style: Style }

export type Column = {
  title: string
  align?: 'right'
  /** May be cut down to this many columns of the terminal; otherwise it is shown whole. */
  min?: number
  /** Where there is no room, the columns with the highest number are left out, all of them at once. */
  spare?: number
}

const gap = '  '

/**
 * A table in which no line is wider than the terminal: columns are left out, then cut. Nothing unseen
 * in a cell reaches the terminal.
 * @param rows a cell for each column
 */
export const tableLines = (
  look: Look,
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
): string[] => {
  const texts = rows.map((row) => row.map((cell) => showLine(textOf(cell))))
  const natural = columns.map(({ title }, n) =>
    Math.max(widthOf(title), ...texts.map((row) => widthOf(row[n] ?? ''))),
  )
  const widths = fitColumns(look.columns, columns, natural)
  const line = (cells: readonly string[], styleOf: (n: number) => Style | null): string => {
    const kept = columns.flatMap((column, n) => {
      const width = widths[n] ?? 0
      if (width === 0) return []
      const text = fitWidth(look, cells[n] ?? '', width)
      const style = styleOf(n)
      const painted = style === null ? text : paint(look, style, text)
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

/** @returns the width of each column; 0: it is left out */
const fitColumns = (
  room: number,
  columns: readonly Column[],
  natural: readonly number[],
): number[] => {
  const isKept = columns.map(() => true)
  const least = columns.map(({ min }, n) => Math.min(natural[n] ?? 0, min ?? Number.MAX_VALUE))
  const sum = (widths: readonly number[]): number => {
    const kept = widths.filter((_, n) => isKept[n])
    return kept.reduce((total, width) => total + width, gap.length * (kept.length - 1))
  }
  while (sum(least) > room) {
    const spare = Math.max(...columns.map(({ spare }, n) => (isKept[n] ? (spare ?? 0) : 0)))
    if (spare === 0) break
    columns.forEach((column, n) => {
      if (column.spare === spare) isKept[n] = false
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
  // what is wanted whole has no room either: the widest give
  for (; left < 0; left++) {
    const widest = Math.max(...widths)
    if (widest <= 1) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}
