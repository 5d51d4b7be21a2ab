import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'

export type RowColumn<Row> = {
  heading: string
  /** The first column names its row. */
  cell: (row: Row) => Piece
  isNumber?: boolean
  /** Buttons and menus at the end of a row: the heading is for screen readers. */
  isActions?: boolean
}

/** A dense list: rows at a desk, cards on a phone. */
export const rowsTable = <Row>(
  caption: string,
  columns: readonly RowColumn<Row>[],
  rows: readonly Row[],
): Html =>
  html`<table class="rows list-rows">
    <caption class="unseen">
      ${caption}
    </caption>
    <thead>
      <tr>
        ${columns.map(
          (column) =>
            html`<th scope="col" ${classOf(column)}>
              ${column.isActions === true ? html`<span class="unseen">${column.heading}</span>` : column.heading}
            </th>`,
        )}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${columns.map((column, index) =>
              index === 0
                ? html`<th scope="row">${column.cell(row)}</th>`
                : html`<td${classOf(column)}>${column.cell(row)}</td>`,
            )}
          </tr> `,
      )}
    </tbody>
  </table>`

const classOf = ({ isNumber, isActions }: { isNumber?: boolean; isActions?: boolean }): Html =>
  attribute('class', isActions === true ? 'more' : isNumber === true ? 'number' : null)
