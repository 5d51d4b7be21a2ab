import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html, type Html } from '@probe-mesh/runtime/html'
import { card, stats } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import type { PageHead } from '../../html/components/page-head.ts'
import { tag } from '../../html/components/tag.ts'
import { exactTime, named, shortDuration, time } from '../../html/measures.ts'
import { cancelledWords, maintenanceWords, stateWords } from '../../html/publish-words.ts'

export const windowHead = (
  window: MaintenanceWindow,
  page: StatusPage,
): Pick<PageHead, 'state' | 'about' | 'actions'> => {
  const path = `/dashboard/maintenance/${window.id}`
  return {
    state: tag((window.cancelledAt ?? null) === null ? maintenanceWords[window.state] : cancelledWords),
    about: html`On <a href="/dashboard/pages/${page.id}">${named(page.name)}</a>`,
    actions: html`<a class="button" href="${page.path}">${icon('external')}View page</a> ${
        window.state === 'active' &&
        html`<a class="button danger" href="${path}/end" data-confirm>End maintenance</a>`
      }
      ${
        window.state === 'scheduled' &&
        html`<a class="button" href="${path}/change">${icon('edit')}Edit</a>
          <a class="button danger" href="${path}/cancel" data-confirm>Cancel maintenance</a>`
      }`,
  }
}

/** One window in any state, as announced. @param components of its page */
export const windowPage = (window: MaintenanceWindow, components: readonly Component[]): Html => {
  const { startsAt, endsAt, createdAt, body, cancelledAt = null, note = null } = window
  return html`${stats([
      { label: 'Start', value: exactTime(startsAt) },
      { label: 'End', value: exactTime(endsAt) },
      { label: 'Duration', value: shortDuration((Date.parse(endsAt) - Date.parse(startsAt)) / 1000) },
      { label: 'Announced', value: time(createdAt) },
      ...(cancelledAt === null
        ? []
        : [{ label: 'Cancelled', value: time(cancelledAt), note: 'before its start' }]),
    ])}
    <div class="cards">
      ${card({ id: 'message', title: 'Message' }, html`<p class="prose"><bdi>${body}</bdi></p>`)}
      ${card({ id: 'components', title: 'Components' }, coverage(window, components))}
      ${note !== null && card({ id: 'note', title: 'Note for your team', about: 'No page, feed or mail shows it.' }, html`<p class="prose"><bdi>${note}</bdi></p>`)}
    </div>`
}

/** The covered components by name; components unpublished since then are only counted. */
const coverage = ({ componentIds }: MaintenanceWindow, components: readonly Component[]): Html => {
  if (componentIds.length === 0)
    return html`<p class="muted">The whole page, including components published later.</p>`
  const covered = components.filter(({ id }) => componentIds.includes(id))
  const gone = componentIds.length - covered.length
  return html`<ul class="row-list">
    ${covered.map(
      ({ checkId, displayName, state }) =>
        html`<li>
          <a href="/dashboard/checks/${checkId}">${named(displayName)}</a> ${tag(stateWords[state])}
        </li> `,
    )}
    ${gone > 0 && html`<li>${gone} no longer on the page</li>`}
  </ul>`
}
