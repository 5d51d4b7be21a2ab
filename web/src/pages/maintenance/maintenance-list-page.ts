import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named } from '../../html/measures.ts'
import { cancelledWords, maintenanceWords } from '../../html/publish-words.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'

/** Empty: the whole page (S-1601), and what it publishes later too. */
export const scopeText = ({ componentIds }: Pick<MaintenanceWindow, 'componentIds'>): string =>
  componentIds.length === 0
    ? 'the whole page'
    : `${componentIds.length} component${componentIds.length === 1 ? '' : 's'}`

/** @param limit how many were asked for: where as many came, older ones are left out */
export const maintenanceListPage = (
  windows: readonly MaintenanceWindow[],
  pages: readonly StatusPage[],
  limit: number,
): Html => {
  const names = new Map(pages.map(({ id, name }) => [id, name]))
  return html`
    <p>
      While a window is active, its checks run on and are shown under maintenance; alerts about them are held
      until it ends.
    </p>
    <p><a class="button" href="/dashboard/maintenance/new">Announce maintenance</a></p>
    ${
      windows.length === 0
        ? html`<p>No maintenance was announced yet.</p>`
        : table(
            'Maintenance windows, the one that ends last first',
            [
              {
                heading: 'Title',
                cell: ({ id, title }) => html`<a href="/dashboard/maintenance/${id}">${named(title)}</a>`,
              },
              {
                heading: 'State',
                cell: ({ state, cancelledAt = null }) =>
                  cancelledAt === null ? tag(maintenanceWords[state]) : tag(cancelledWords),
              },
              {
                heading: 'Page',
                cell: ({ statusPageId }) =>
                  html`<a href="/dashboard/pages/${statusPageId}"
                    >${named(names.get(statusPageId) ?? statusPageId)}</a
                  >`,
              },
              { heading: 'Covers', cell: scopeText },
              { heading: 'Start', cell: ({ startsAt }) => exactTime(startsAt) },
              { heading: 'End', cell: ({ endsAt }) => exactTime(endsAt) },
              {
                heading: 'Act',
                cell: ({ id, title, state }) => [
                  state === 'active' &&
                    html`<a href="/dashboard/maintenance/${id}/end"
                      >End now<span class="unseen"> ${title}</span></a
                    >`,
                  state === 'scheduled' &&
                    html`<a href="/dashboard/maintenance/${id}/change"
                        >Change<span class="unseen"> ${title}</span></a
                      >
                      <a href="/dashboard/maintenance/${id}/cancel"
                        >Cancel<span class="unseen"> ${title}</span></a
                      >`,
                ],
              },
            ],
            windows,
          )
    }
    ${windows.length >= limit && html`<p>These are ${limit}; those that ended before them are not listed.</p>`}
  `
}
