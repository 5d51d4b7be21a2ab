import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, time } from '../../html/measures.ts'
import { cancelledWords, maintenanceWords } from '../../html/publish-words.ts'
import { tag } from '../../html/components/tag.ts'

/** What a window covers by name; what was unpublished since is counted, its name is gone. */
const covers = (window: MaintenanceWindow, components: readonly Component[]): Html => {
  if (window.componentIds.length === 0) return html`the whole page, with what it publishes later`
  const names = components
    .filter(({ id }) => window.componentIds.includes(id))
    .map(({ displayName }) => displayName)
  const gone = window.componentIds.length - names.length
  return html`<ul class="plain-list">
    ${names.map((name) => html`<li>${named(name)}</li>`)}
    ${gone > 0 && html`<li>${gone} that the page does not publish any more</li>`}
  </ul>`
}

/** One window, whatever its state, as it was announced. @param components of its page */
export const windowPage = (
  window: MaintenanceWindow,
  page: StatusPage,
  components: readonly Component[],
): Html => html`
  <dl>
    <dt>State</dt>
    <dd>${tag((window.cancelledAt ?? null) === null ? maintenanceWords[window.state] : cancelledWords)}</dd>
    <dt>Page</dt>
    <dd><a href="/dashboard/pages/${page.id}">${named(page.name)}</a></dd>
    <dt>Covers</dt>
    <dd>${covers(window, components)}</dd>
    <dt>Start</dt>
    <dd>${exactTime(window.startsAt)}</dd>
    <dt>End</dt>
    <dd>${exactTime(window.endsAt)}</dd>
    <dt>Announced</dt>
    <dd>${time(window.createdAt)}</dd>
    ${
      (window.cancelledAt ?? null) !== null &&
      html`<dt>Cancelled</dt>
        <dd>${time(window.cancelledAt ?? '')}, before it began</dd>`
    }
  </dl>
  <h2>What was announced</h2>
  <p class="prose"><bdi>${window.body}</bdi></p>
  ${
    window.state === 'active' &&
    html`<p><a class="button" href="/dashboard/maintenance/${window.id}/end">End it now</a></p>`
  }
  ${
    window.state === 'scheduled' &&
    html`<p>
      <a class="button" href="/dashboard/maintenance/${window.id}/change">Change it</a>
      <a class="button" href="/dashboard/maintenance/${window.id}/cancel">Cancel it</a>
    </p>`
  }
`
