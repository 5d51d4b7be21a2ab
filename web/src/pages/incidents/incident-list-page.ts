import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { named, none, shortDuration, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { emptyState } from '../../html/components/card.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { namesById } from '../check-names.ts'

/** The names of what incidents refer to by id. */
export type NamedThings = { pages: readonly StatusPage[]; checks: readonly CheckName[] }

/** A heartbeat is measured in no region. */
const regionText = ({ region }: Pick<Incident, 'region'>): string => region ?? none

/** Incidents on status pages, newest first. @param limit the number asked for: where as many came, there may be more */
export const incidentListPage = (
  incidents: readonly Incident[],
  { pages, checks }: NamedThings,
  { limit, more }: { limit: number; more: number },
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
  return html`${table(
    'Incidents, newest first',
    [
      {
        heading: 'Incident',
        cell: ({ id, title }) => html`<a href="/dashboard/incidents/${id}">${named(title)}</a>`,
      },
      { heading: 'Status', cell: ({ status }) => tag(incidentWords[status]) },
      { heading: 'Posted by', cell: ({ source }) => (source === 'manual' ? 'your team' : 'an outage') },
      {
        heading: 'Check',
        cell: ({ checkId }) =>
          html`<a href="/dashboard/checks/${checkId}"
            >${named(checkNames.get(checkId) ?? 'deleted check')}</a
          >`,
      },
      { heading: 'Region', cell: regionText },
      {
        heading: 'Status page',
        cell: ({ statusPageId }) => named(pageNames.get(statusPageId) ?? 'deleted page'),
      },
      { heading: 'Started', cell: ({ startedAt }) => time(startedAt) },
      { heading: 'Duration', isNumber: true, cell: lengthOf },
    ],
    incidents,
  )}
  ${isCut && limit < more && html`<p class="actions"><a class="button" href="/dashboard/incidents?view=posted&amp;limit=${more}">Show up to ${more}</a></p>`}
  ${isCut && limit >= more && html`<p class="muted small-print">Older incidents are not listed.</p>`}`
}

const lengthOf = ({ startedAt, resolvedAt }: Incident): Piece =>
  resolvedAt === null ? 'open' : shortDuration((Date.parse(resolvedAt) - Date.parse(startedAt)) / 1000)
