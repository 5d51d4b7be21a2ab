import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { emptyState } from '../../html/components/card.ts'
import { confirmForm } from '../../html/components/confirm-form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime } from '../../html/measures.ts'
import { scopeText } from './maintenance-list-page.ts'

const path = '/dashboard/maintenance/new'

/** The page comes first: its components are the choices. */
export const choosePage = (pages: readonly StatusPage[]): Html =>
  pages.length === 0
    ? emptyState({
        icon: 'status-page',
        title: 'No status page yet',
        text: 'Maintenance is announced on a status page.',
        action: { path: '/dashboard/pages', text: 'Create status page' },
      })
    : html`<ul class="plain-list choose-list">
        ${pages.map(
          ({ id, name, path: address, componentCount }) =>
            html`<li>
              <a class="card" href="${path}?page=${id}"
                ><strong><bdi>${name}</bdi></strong>
                <span class="muted"
                  >${address} · ${componentCount} ${componentCount === 1 ? 'component' : 'components'}</span
                ></a
              >
            </li> `,
        )}
      </ul>`

/** The consequences of cancelling a window before it starts. */
export const cancelPage = (window: MaintenanceWindow): Html => html`
  <div data-dialog>
    <p>
      <bdi>${window.title}</bdi>, for ${scopeText(window)}, starts at ${exactTime(window.startsAt)}. If you
      cancel it:
    </p>
    <ul>
      <li>no alerts or incidents are held for it;</li>
      <li>the page stops showing it, and confirmed subscribers get mail;</li>
      <li>it cannot be restored.</li>
    </ul>
    <form method="post" action="/dashboard/maintenance/${window.id}/cancel">
      <p class="actions">
        <button class="danger" type="submit">Cancel maintenance</button>
        <a class="button" href="/dashboard/maintenance/${window.id}" data-cancel>Keep maintenance</a>
      </p>
    </form>
  </div>
`

/** Only a window that has not started can be edited or cancelled. */
export const begunPage = ({ state, startsAt, endsAt, cancelledAt = null }: MaintenanceWindow): Html => html`
  <div data-dialog>
    <p>
      ${
        cancelledAt !== null
          ? html`It was cancelled at ${exactTime(cancelledAt)}.`
          : state === 'active'
            ? html`It started at ${exactTime(startsAt)}. Active maintenance can be ended, not edited.`
            : html`It ended at ${exactTime(endsAt)}.`
      }
    </p>
    <p><a class="button" href="/dashboard/maintenance" data-cancel>Back to maintenance</a></p>
  </div>
`

/** The consequences of ending an active window now (S-1605). */
export const endPage = (window: MaintenanceWindow, page: StatusPage | undefined): Html => html`
  <div data-dialog>
    <p>
      <bdi>${window.title}</bdi>, for
      ${scopeText(window)}${page !== undefined && html` of <bdi>${page.name}</bdi>`}, ends at
      ${exactTime(window.endsAt)}. If you end it now:
    </p>
    <ul>
      <li>held alerts about outages that are still open are sent within 15 seconds;</li>
      <li>the page shows what the checks measure;</li>
      <li>subscribers get no mail about the end;</li>
      <li>it cannot be restarted.</li>
    </ul>
    ${confirmForm({ action: `/dashboard/maintenance/${window.id}/end`, button: 'End maintenance', cancel: `/dashboard/maintenance/${window.id}` })}
  </div>
`

/** For a window that has not started or is over: it cannot be ended (S-1605). */
export const notActivePage = ({ id, state, startsAt, endsAt }: MaintenanceWindow): Html => html`
  <div data-dialog>
    <p>
      ${
        state === 'scheduled'
          ? html`It starts at ${exactTime(startsAt)}. Only active maintenance can be ended;
              <a href="/dashboard/maintenance/${id}/cancel">cancel it</a> instead.`
          : html`It ended at ${exactTime(endsAt)}.`
      }
    </p>
    <p><a class="button" href="/dashboard/maintenance" data-cancel>Back to maintenance</a></p>
  </div>
`
