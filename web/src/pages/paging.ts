import { html, type Html } from '@probe-mesh/runtime/html'

/** One part of a long list. */
export type Part<Row> = {
  rows: readonly Row[]
  /** From 1. */
  number: number
  last: number
  /** Of all parts. */
  total: number
}

export const rowsPerPage = 100

/** The page number in an address; 1 if it is invalid. */
export const numberOf = (asked: string | null): number =>
  /^[1-9]\d{0,5}$/.test(asked ?? '') ? Number(asked) : 1

/** @param asked the page number in an address; the result is always an existing page */
export const partOf = <Row>(
  rows: readonly Row[],
  asked: string | null,
  perPart: number = rowsPerPage,
): Part<Row> => {
  const last = Math.max(1, Math.ceil(rows.length / perPart))
  const number = Math.min(last, numberOf(asked))
  const from = (number - 1) * perPart
  return { rows: rows.slice(from, from + perPart), number, last, total: rows.length }
}

/** Links to the pages before and after; null for a single page. */
export const pageLinks = (
  { number, last, total }: Part<unknown>,
  path: string,
  query: Readonly<Record<string, string>>,
): Html | null => {
  if (last === 1) return null
  const link = (to: number, text: string): Html => {
    const search = new URLSearchParams({ ...query, page: String(to) })
    return html`<a href="${path}?${search.toString()}">${text}</a>`
  }
  return html`<nav aria-label="Parts of the list">
    <p class="actions">
      ${number > 1 && link(number - 1, 'Before')}
      <span>Part ${number} of ${last}, of ${total} in all</span>
      ${number < last && link(number + 1, 'After')}
    </p>
  </nav>`
}
