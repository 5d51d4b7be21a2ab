import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named, none, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { emptyState } from '../../html/components/card.ts'
import { tag } from '../../html/components/tag.ts'
import { namesById } from '../check-names.ts'
import { durationOf } from './incident-page.ts'
import { impactWords } from './incident-words.ts'

/** Names of pages and checks that incidents refer to by id. */
export type NamedThings = { pages: readonly StatusPage[]; checks: readonly CheckName[] }

/** Incidents on status pages, newest first. @param limit the requested number: a full list may have more */
export const incidentListPage = (
  incidents: readonly Incident[],
  { pages, checks }: NamedThings,
  { limit, more, nowMs }: { limit: number; more: number; nowMs: number },
): Html => {
  const pageNames = namesById(pages)
  const checkNames = namesById(checks)
  const isCut = incidents.length >= limit
  if (incidents.length === 0) {
    return emptyState({
      icon: 'incident',
      title: 'No incidents yet',
      text: 'An outage of a published check posts one by itself. Your own posts are mailed to subscribers.',
      action: { path: '/dashboard/incidents/new', text: 'Post an incident' },
    })
  }
  return html`<div data-live="posted">
      <table class="rows outage-rows">
        <caption class="unseen">
          Posted incidents, newest first
        </caption>
        <thead>
          <tr>
            <th scope="col">Status</th>
            <th scope="col">Incident</th>
            <th scope="col">Started</th>
            <th scope="col" class="number">Duration</th>
            <th scope="col">Affected</th>
            <th scope="col">Impact</th>
            <th scope="col">Posted by</th>
          </tr>
        </thead>
        <tbody>
          ${incidents.map(
            (incident) =>
              html`<tr>
                <td class="state-cell">${tag(incidentWords[incident.status])}</td>
                <th scope="row">
                  <a href="/dashboard/incidents/${incident.id}">${named(incident.title)}</a>
                  <span class="target"
                    ><span>${named(pageNames.get(incident.statusPageId) ?? 'deleted page')}</span></span
                  >
                </th>
                <td class="started">${time(incident.startedAt)}</td>
                <td class="number lasted">${durationOf(incident, nowMs)}</td>
                <td class="where">${affectedText(incident, checkNames)}</td>
                <td class="sent">${incident.impact === undefined ? none : impactWords[incident.impact]}</td>
                <td class="posts">${incident.source === 'manual' ? 'your team' : 'an outage'}</td>
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
    ${isCut && limit < more && html`<p class="actions"><a class="button" href="/dashboard/incidents?view=posted&amp;limit=${more}">Show up to ${more}</a></p>`}
    ${isCut && limit >= more && html`<p class="muted small-print">Older incidents are not listed.</p>`}`
}

/** The name of one check, or the number of components. */
const affectedText = (
  { checkId, componentIds = [], memberCount = 0 }: Incident,
  checkNames: ReadonlyMap<string, string>,
): Html => {
  const count = Math.max(componentIds.length, memberCount)
  return count > 1
    ? html`${count} components`
    : html`<a href="/dashboard/checks/${checkId}">${named(checkNames.get(checkId) ?? 'deleted check')}</a>`
}
