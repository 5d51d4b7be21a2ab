import type { CheckCauseAnswer } from '@probe-mesh/contracts/check/check-cause'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import type { Asked } from '../api/ask.ts'
import { exactTime, named } from '../html/measures.ts'

/** What else is known about a failure, with the other checks of its cause. Empty while nothing fits. */
export const causeNotice = (found: Asked<CheckCauseAnswer> | null, checkId: string): Html => {
  const cause = found?.ok === true ? found.value.cause : null
  return html`<div data-live="cause">${cause !== null && noticeOf(cause, checkId)}</div>`
}

const noticeOf = (cause: NonNullable<CheckCauseAnswer['cause']>, checkId: string): Html => {
  const others = cause.checks.filter(({ id }) => id !== checkId)
  const more = cause.checkCount - cause.checks.length
  return html`<p class="notice">
    ${withTimes(cause.text)}
    ${
      others.length > 0 &&
      html`Also:
      ${others.map(({ id, name }, index) => html`${index > 0 && ', '}<a href="/dashboard/checks/${id}">${named(name)}</a>`)}${more > 0 && ` and ${more} more`}.`
    }
  </p>`
}

/** The text with its instants as times of the reader's zone. */
const withTimes = (text: string): Piece[] =>
  text
    .split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)/)
    .map((part, index) => (index % 2 === 1 ? exactTime(part) : part))
