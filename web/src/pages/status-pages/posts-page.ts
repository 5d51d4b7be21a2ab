import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import { card, emptyState } from '../../html/components/card.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, named, time } from '../../html/measures.ts'
import { cancelledWords, incidentWords, maintenanceWords } from '../../html/publish-words.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/** The posts of a page: incidents and maintenance, newest first. */
export const postsPage = (
  pageId: string,
  { incidents, windows }: { incidents: readonly Incident[]; windows: readonly MaintenanceWindow[] },
): Html => {
  const [post, schedule] = [
    { path: `/dashboard/incidents/new?page=${pageId}`, text: 'Post incident' },
    { path: `/dashboard/maintenance/new?page=${pageId}`, text: 'Schedule maintenance' },
  ]
  const button = ({ path, text }: typeof post): Html => html`<a class="button" href="${path}">${text}</a>`
  return html`${card(
    { id: 'incidents', title: 'Incidents', actions: incidents.length > 0 && button(post) },
    incidents.length === 0
      ? emptyState({ icon: 'incident', title: 'No incidents', action: post })
      : table(
          'Incidents of the page',
          [
            {
              heading: 'Title',
              cell: ({ id, title }) => html`<a href="/dashboard/incidents/${id}">${named(title)}</a>`,
            },
            { heading: 'Status', cell: ({ status }) => tag(incidentWords[status]) },
            { heading: 'Began', cell: ({ startedAt }) => time(startedAt) },
          ],
          incidents,
        ),
  )}
  ${card(
    { id: 'maintenance', title: 'Maintenance', actions: windows.length > 0 && button(schedule) },
    windows.length === 0
      ? emptyState({ icon: 'maintenance', title: 'No maintenance', action: schedule })
      : table(
          'Maintenance of the page',
          [
            {
              heading: 'Title',
              cell: ({ id, title }) => html`<a href="/dashboard/maintenance/${id}">${named(title)}</a>`,
            },
            {
              heading: 'State',
              cell: ({ state, cancelledAt }) =>
                tag((cancelledAt ?? null) === null ? maintenanceWords[state] : cancelledWords),
            },
            { heading: 'Starts', cell: ({ startsAt }) => exactTime(startsAt) },
            { heading: 'Ends', cell: ({ endsAt }) => exactTime(endsAt) },
          ],
          windows,
        ),
  )}`
}
