import { html, type Html, type Piece } from '@probe-mesh/runtime/html'

export type Column<Row> = {
  heading: string
  /** The first column names its row. */
  cell: (row: Row) => Piece
  /** Aligned by its last digit. */
  isNumber?: boolean
}

/** A table that scrolls inside a narrow window, also by keyboard (WCAG 2.2, 2.1.1). */
export const table = <Row>(caption: string, columns: readonly Column<Row>[], rows: readonly Row[]): Html =>
  html`<div class="scroll" role="group" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${columns.map(
            ({ heading, isNumber }) => html`<th scope="col" ${classOf(isNumber)}>${heading}</th>`,
          )}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (row) =>
            html`<tr>
              ${columns.map((column, index) => cellOf(column, row, index))}
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`

const cellOf = <Row>({ cell, isNumber }: Column<Row>, row: Row, index: number): Html =>
  index === 0 ? html`<th scope="row">${cell(row)}</th>` : html`<td${classOf(isNumber)}>${cell(row)}</td>`

const classOf = (isNumber = false): Html => (isNumber ? html` class="number"` : html``)
