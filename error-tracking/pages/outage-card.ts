import { surroundingMax, type CheckFailure, type ErrorSurroundings } from '../contracts/error-issue-acts.ts'
import { card } from '@probe-mesh/web/src/html/components/card'
import { checkWords, tag } from '@probe-mesh/web/src/html/components/tag'
import { exactTime, named, shortDuration } from '@probe-mesh/web/src/html/measures'
import { html, type Html } from '@probe-mesh/runtime/html'

/** The chart of a check around a failure. */
const aroundMs = 30 * 60_000

/** What else failed in the minutes of the first and the last event: often the shortest way to the cause. */
export const outageCard = ({ failures, incidents, complete }: ErrorSurroundings): Html => {
  if (failures.length === 0 && incidents.length === 0) {
    return html`<p class="muted small-print">
      No check was down or degraded, and no incident was open, within 5 minutes of the first and the last
      event.
    </p>`
  }
  return card(
    {
      id: 'outages',
      title: 'During this',
      about: 'within 5 minutes of the first or the last event',
    },
    html`<ul class="plain-list outages">
        ${failures.map(failureItem)}
        ${incidents.map(
          ({ id, title, startedAt, resolvedAt }) =>
            html`<li>
              <a href="/dashboard/incidents/${id}">${named(title)}</a> was an open incident
              <span class="muted">${spanOf(startedAt, resolvedAt)}</span>
            </li>`,
        )}
      </ul>
      <p class="muted small-print">
        ${!complete && `Only the newest ${surroundingMax} of each are listed. `} Failures at the same time
        need not have the same cause.
      </p>`,
  )
}

const failureItem = ({ checkId, checkName, status, reason, since, until }: CheckFailure): Html => {
  const fromMs = Date.parse(since) - aroundMs
  const toMs = (until === null ? Date.now() : Date.parse(until)) + aroundMs
  return html`<li>
    <a href="/dashboard/checks/${checkId}?from=${fromMs}&to=${toMs}#history">${named(checkName)}</a>
    ${until === null ? 'is' : 'was'} ${tag(checkWords[status])}
    <span class="muted">${spanOf(since, until)}</span>
    ${reason !== null && html`<span class="reason muted"><bdi>${reason}</bdi></span>`}
  </li>`
}

/** From when until when, and how long. */
const spanOf = (since: string, until: string | null): Html =>
  until === null
    ? html`since ${exactTime(since)}`
    : html`${exactTime(since)} to ${exactTime(until)}
      (${shortDuration((Date.parse(until) - Date.parse(since)) / 1000)})`
