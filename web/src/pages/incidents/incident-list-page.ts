import type { CheckName } from '@probe-mesh/contracts/check/check-list'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { namesById } from '../check-names.ts'

/** What incidents name by id, for people. */
export type NamedThings = { pages: readonly StatusPage[]; checks: readonly CheckName[] }

/** An outage of a heartbeat is nowhere in particular. */
export const regionText = ({ region }: Pick<Incident, 'region'>): string => region ?? 'none'

/** `3 incidents are open.` Of those that are listed. */
const openText = (incidents: readonly Incident[]): string => {
  const open = incidents.filter(({ resolvedAt }) => resolvedAt === null).length
  if (open === 0) return 'No incident is open.'
  return open === 1 ? '1 incident is open.' : `${open} incidents are open.`
}

/** @param limit how many were asked for: where as many came, there may be more */
export const incidentListPage = (
  incidents: readonly Incident[],
  { pages, checks }: NamedThings,
  { limit, more }: { limit: number; more: number },
): Html => {
  const pageNames = namesById(pages)
  const checkNames = namesById(checks)
  const isCut = incidents.length >= limit
  return html`
    <p>
      ${isCut ? `Of the ${limit} newest: ` : ''}${openText(incidents)} An automatic one is written on each
      page that publishes the check, and mails nobody; what a person writes is mailed.
    </p>
    <p><a class="button" href="/dashboard/incidents/new">Open an incident</a></p>
    ${
      incidents.length === 0
        ? html`<p>There was no incident yet.</p>`
        : table(
            'Incidents, newest first',
            [
              {
                heading: 'Incident',
                cell: ({ id, title }) => html`<a href="/dashboard/incidents/${id}">${named(title)}</a>`,
              },
              { heading: 'Status', cell: ({ status }) => tag(incidentWords[status]) },
              { heading: 'Source', cell: ({ source }) => source },
              {
                heading: 'Check',
                cell: ({ checkId }) =>
                  html`<a href="/dashboard/checks/${checkId}"
                    >${named(checkNames.get(checkId) ?? checkId)}</a
                  >`,
              },
              { heading: 'Region', cell: regionText },
              {
                heading: 'Page',
                cell: ({ statusPageId }) => named(pageNames.get(statusPageId) ?? statusPageId),
              },
              { heading: 'Since', cell: ({ startedAt }) => time(startedAt) },
              { heading: 'Resolved', cell: ({ resolvedAt }) => time(resolvedAt) },
            ],
            incidents,
          )
    }
    ${isCut && limit < more && html`<p><a href="/dashboard/incidents?limit=${more}">Show up to ${more}</a></p>`}
    ${isCut && limit >= more && html`<p>Older ones are not listed.</p>`}
  `
}
