import type { MaintenanceState, MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, named, shortDuration } from '../../html/measures.ts'
import { cancelledWords, maintenanceWords } from '../../html/publish-words.ts'
import { emptyState } from '../../html/components/card.ts'
import { menu, type MenuEntry } from '../../html/components/menu.ts'
import { chips } from '../../html/components/page-head.ts'
import { tag } from '../../html/components/tag.ts'
import { incidentTabs } from '../outages/outages.ts'

const path = '/dashboard/maintenance'

/** Empty: the whole page (S-1601), including components published later. */
export const scopeText = ({ componentIds }: Pick<MaintenanceWindow, 'componentIds'>): string =>
  componentIds.length === 0
    ? 'the whole page'
    : `${componentIds.length} component${componentIds.length === 1 ? '' : 's'}`

const filters = { active: 'Active', scheduled: 'Scheduled', ended: 'Past' } as const

/** @param shown.state filters by state; null: all */
export const maintenanceListPage = (
  windows: readonly MaintenanceWindow[],
  pages: readonly StatusPage[],
  shown: { state: MaintenanceState | null; nextCursor: string | null },
): Html => {
  const names = new Map(pages.map(({ id, name }) => [id, name]))
  const { state, nextCursor } = shown
  const next = new URLSearchParams({ ...(state !== null && { state }), cursor: nextCursor ?? '' })
  return html`${incidentTabs('maintenance')}
    <div class="toolbar">
      ${chips('Maintenance', [
        { path, text: 'All', isCurrent: state === null },
        ...Object.entries(filters).map(([value, text]) => ({
          path: `${path}?state=${value}`,
          text,
          isCurrent: state === value,
        })),
      ])}
    </div>
    ${
      windows.length === 0
        ? emptyState({
            icon: 'maintenance',
            title: state === null ? 'No maintenance yet' : `No ${filters[state].toLowerCase()} maintenance`,
            text: 'Announced maintenance holds alerts and tells visitors what to expect.',
            action: { path: `${path}/new`, text: 'Announce maintenance' },
          })
        : html`<table class="rows outage-rows window-rows">
            <caption class="unseen">
              Maintenance, last to end first
            </caption>
            <thead>
              <tr>
                <th scope="col">State</th>
                <th scope="col">Maintenance</th>
                <th scope="col">Start</th>
                <th scope="col">End</th>
                <th scope="col" class="number">Duration</th>
                <th scope="col">Covers</th>
                <th scope="col"><span class="unseen">Actions</span></th>
              </tr>
            </thead>
            <tbody>
              ${windows.map((window) => rowOf(window, names.get(window.statusPageId) ?? 'deleted page'))}
            </tbody>
          </table>`
    }
    ${nextCursor !== null && html`<p class="actions"><a class="button" href="${path}?${next.toString()}">Older</a></p>`}`
}

const rowOf = (window: MaintenanceWindow, pageName: string): Html => {
  const { id, title, state, startsAt, endsAt, cancelledAt = null } = window
  const entries = entriesOf(window)
  return html`<tr>
    <td class="state-cell">${tag(cancelledAt === null ? maintenanceWords[state] : cancelledWords)}</td>
    <th scope="row">
      <a href="${path}/${id}">${named(title)}</a>
      <span class="target"><span>${named(pageName)}</span></span>
    </th>
    <td class="started" data-label="Start">${exactTime(startsAt)}</td>
    <td class="ends" data-label="End">${exactTime(endsAt)}</td>
    <td class="number lasted">${shortDuration((Date.parse(endsAt) - Date.parse(startsAt)) / 1000)}</td>
    <td class="where">${scopeText(window)}</td>
    <td class="more">
      ${entries.length > 0 && menu({ icon: 'more', label: `Actions for ${title}` }, entries)}
    </td>
  </tr>`
}

/** The actions for a window in its state. */
const entriesOf = ({ id, state }: MaintenanceWindow): MenuEntry[] => {
  const own = `${path}/${id}`
  if (state === 'active')
    return [{ text: 'End now', icon: 'close', isDanger: true, isConfirmed: true, path: `${own}/end` }]
  if (state !== 'scheduled') return []
  return [
    { text: 'Edit', icon: 'edit', path: `${own}/change` },
    { text: 'Cancel', icon: 'close', isDanger: true, isConfirmed: true, path: `${own}/cancel` },
  ]
}
