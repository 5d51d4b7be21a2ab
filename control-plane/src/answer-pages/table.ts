import { markup } from './markup.ts'
import type { Markup, Piece } from './markup.ts'

type Column<Row> = {
  heading: string
  /** The first column names its row. */
  cell: (row: Row) => Piece
  /** Aligned by its last digit. */
  isNumber?: boolean
}

/**
 * A table that scrolls by itself where the window is narrow, by keyboard too (WCAG 2.2, 2.1.1).
 * @param look `even`: one of several below headings that name them, with columns as wide as theirs
 */
export const table = <Row>(
  caption: string,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  look: 'own' | 'even' = 'own',
): Markup => markup`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
<table class="${look}">
<caption>${caption}</caption>
<thead><tr>${columns.map(
  ({ heading, isNumber }) => markup`<th scope="col"${classOf(isNumber)}>${heading}</th>`,
)}</tr></thead>
<tbody>
${rows.map((row) => markup`<tr>${columns.map((column, index) => cellOf(column, row, index))}</tr>`)}
</tbody>
</table>
</div>`

const cellOf = <Row>({ cell, isNumber }: Column<Row>, row: Row, index: number): Markup =>
  index === 0
    ? markup`<th scope="row">${cell(row)}</th>`
    : markup`<td${classOf(isNumber)}>${cell(row)}</td>`

const classOf = (isNumber = false): Markup => (isNumber ? markup` class="number"` : markup``)
