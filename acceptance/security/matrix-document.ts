import { markdownTable } from '@probe-mesh/runtime/tables'
import { ways, type Cell, type MeasuredRow } from './measure-matrix.ts'

const begin = '<!-- The matrix: written by `npm run security`, do not edit. -->'
const end = '<!-- The end of the matrix. -->'

/** The matrix in docs/security.md: the tried cases by row and path, and how many were refused if not all. */
const matrixTable = (rows: readonly MeasuredRow[]): string => {
  const heading = ['what', 'ranges', ...ways]
  const lines = rows.map(({ what, ranges, cells }) => [
    what,
    ranges === 0 ? '' : String(ranges),
    ...ways.map((way) => cellText(cells[way])),
  ])
  return markdownTable([heading, ...lines])
}

const cellText = (cell: Cell | undefined): string => {
  if (cell === undefined) return ''
  const { refused, cases } = cell
  return refused === cases ? String(cases) : `**${refused} of ${cases}**`
}

const summary = (rows: readonly MeasuredRow[]): string => {
  const cells = rows.flatMap((row) => Object.values(row.cells))
  const sum = (of: 'refused' | 'cases') => cells.reduce((all, cell) => all + cell[of], 0)
  return `${sum('refused').toLocaleString('en-US')} of ${sum('cases').toLocaleString('en-US')} refused.`
}

/**
 * Writes the matrix of the last measurement between the markers of a document.
 * @param day of the measurement, such as `2026-11-22`
 */
export const withMatrix = (document: string, rows: readonly MeasuredRow[], day: string): string => {
  const [before, rest] = document.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('the document has no markers')
  return `${before}${begin}\n\nLast measured on ${day}: ${summary(rows)}\n\n${matrixTable(rows)}\n\n${end}${after}`
}

/** The matrix in a document, without its date. */
export const matrixIn = (document: string): string =>
  (document.split(begin)[1]?.split(end)[0] ?? '').replace(/on \d{4}-\d\d-\d\d: /, '').trim()
