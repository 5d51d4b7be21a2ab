import { attribute, html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { icon } from './icon.ts'

/** A page above this one. */
export type Crumb = { path: string; text: string }

/** The heading of a page: its title with its state, its actions at the right, and one line below. */
export type PageHead = {
  title: Piece
  state?: Piece
  actions?: Piece
  /** The subject of the page, in one line. */
  about?: Piece
}

export const pageHead = ({ title, state = null, actions = null, about = null }: PageHead): Html =>
  html`<div class="page-head">
    <div class="page-title">
      <h1>${title}</h1>
      ${state}
    </div>
    ${actions !== null && html`<div class="page-actions">${actions}</div>`}
    ${about !== null && html`<p class="page-about">${about}</p>`}
  </div>`

/** Links to the pages above this one; the title of the page is the heading. */
export const breadcrumb = (crumbs: readonly Crumb[]): Html | null =>
  crumbs.length === 0
    ? null
    : html`<nav class="crumbs" aria-label="Breadcrumb">
        <ol>
          ${crumbs.map(
            ({ path, text }) =>
              html`<li>
                <a href="${path}"><bdi>${text}</bdi></a
                >${icon('next')}
              </li>`,
          )}
        </ol>
      </nav>`

/** Views of one thing, each with an address. */
export const tabs = (
  label: string,
  entries: readonly { path: string; text: string; isCurrent: boolean; count?: number }[],
): Html =>
  html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${entries.map(
        ({ path, text, isCurrent, count }) =>
          html`<li>
            <a href="${path}" ${attribute('aria-current', isCurrent ? 'page' : null)}
              >${text}${countOf(count)}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

/** Filters of a list, each with its number of rows. */
export const chips = (
  label: string,
  entries: readonly { path: string; text: Piece; count?: number; isCurrent: boolean }[],
): Html =>
  html`<nav class="chips" aria-label="${label}">
    <ul>
      ${entries.map(
        ({ path, text, count, isCurrent }) =>
          html`<li>
            <a href="${path}" ${attribute('aria-current', isCurrent ? 'true' : null)}
              >${text}${countOf(count)}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

const countOf = (count: number | undefined): Html | false =>
  count !== undefined && html` <span class="count">${count}</span>`
