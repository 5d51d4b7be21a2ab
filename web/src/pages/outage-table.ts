import type { Outage } from '@probe-mesh/contracts/overview/outage-log'
import { tag } from '../html/components/tag.ts'
import { elapsed, named, none, shortDuration, time } from '../html/measures.ts'
import { html, type Html, type Piece } from '@probe-mesh/runtime/html'
import { outageWords, regionsText } from './outage-words.ts'

/** Outages as rows, open ones first. @param nowMs the end for the duration of open ones */
export const outageRows = (
  outages: readonly Outage[],
  { nowMs, withCheck }: { nowMs: number; withCheck: boolean },
): Html =>
  html`<table class="rows outage-rows">
    <caption class="unseen">
      Outages
    </caption>
    <thead>
      <tr>
        <th scope="col">State</th>
        <th scope="col">${withCheck ? 'Check' : 'Reason'}</th>
        <th scope="col">Started</th>
        <th scope="col" class="number">Duration</th>
        <th scope="col">Regions</th>
        <th scope="col" class="number">Messages</th>
        <th scope="col">Posts</th>
      </tr>
    </thead>
    <tbody>
      ${outages.map((outage) => rowOf(outage, nowMs, withCheck))}
    </tbody>
  </table>`

const rowOf = (outage: Outage, nowMs: number, withCheck: boolean): Html => {
  const { id, checkName, reason, startedAt, endedAt, alertsSent, incidentIds, maintenance } = outage
  return html`<tr${endedAt === null ? html` class="is-down"` : null}>
    <td class="state-cell">
      ${tag(outageWords[outage.status])}${maintenance && html` <span class="since">maintenance</span>`}
    </td>
    <th scope="row">
      <a href="/dashboard/outages/${id}">${withCheck ? named(checkName) : html`<bdi>${reason ?? 'no reason recorded'}</bdi>`}</a>
      ${withCheck && html`<span class="target"><bdi>${reason ?? 'no reason recorded'}</bdi></span>`}
    </th>
    <td class="started">${time(startedAt)}</td>
    <td class="number lasted">${lastedOf(outage, nowMs)}</td>
    <td class="where">${regionsText(outage)}</td>
    <td class="number sent">${alertsSent === 0 ? none : alertsSent}</td>
    <td class="posts">${postsOf(incidentIds)}</td>
  </tr>`
}

/** Time in status down; the duration of an open outage keeps counting. */
export const lastedOf = (
  { startedAt, endedAt, durationSeconds }: Pick<Outage, 'startedAt' | 'endedAt' | 'durationSeconds'>,
  nowMs: number,
): Piece => (endedAt === null ? elapsed(startedAt, nowMs) : shortDuration(durationSeconds))

const postsOf = (incidentIds: readonly string[]): Piece =>
  incidentIds.length === 0
    ? none
    : incidentIds.map(
        (id, index) =>
          html`${index > 0 && ' '}<a href="/dashboard/incidents/${id}"
              >Post${incidentIds.length > 1 && ` ${index + 1}`}</a
            >`,
      )
