import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { choicesField } from '../../html/components/choices-field.ts'
import { longTextField, problemSummary, textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, time } from '../../html/measures.ts'
import { scopeText } from './maintenance-list-page.ts'
import { typedOfInstant } from './utc-input.ts'

const path = '/dashboard/maintenance/new'

/** Which page it is for comes first: its components are what can be chosen from. */
export const choosePage = (pages: readonly StatusPage[]): Html => html`
  <p>A window is for one status page. For which one?</p>
  <ul>
    ${pages.map(
      ({ id, name, path: address }) =>
        html`<li>
          <a href="${path}?page=${id}"><bdi>${name}</bdi></a> (${address})
        </li> `,
    )}
  </ul>
`

const fields = ['title', 'body', 'startsAt', 'endsAt', 'durationMinutes', 'componentIds'] as const

/** What a window is made of. @param asked.window as it is; absent: it is a new one */
const windowFields = (
  components: readonly Component[],
  asked: {
    form: FormState
    ticked: ReadonlySet<string>
    startHint: Html
    window?: MaintenanceWindow
  },
): Html => {
  const { form, ticked, startHint, window } = asked
  const typed = (at: string): string => typedOfInstant(Date.parse(at))
  return html`
    ${textField(form, { name: 'title', label: 'Title', isRequired: true, ...(window && { fallback: window.title }) })}
    ${longTextField(form, { name: 'body', label: 'What is done', hint: 'Shown as text, never as markup.', isRequired: true, ...(window && { fallback: window.body }) })}
    ${textField(form, { name: 'startsAt', label: 'Start, in UTC', type: 'datetime-local', hint: startHint, ...(window && { fallback: typed(window.startsAt) }) })}
    ${textField(form, { name: 'endsAt', label: 'End, in UTC', type: 'datetime-local', hint: 'In UTC. Give either the end or the minutes, not both.', ...(window && { fallback: typed(window.endsAt) }) })}
    ${textField(form, { name: 'durationMinutes', label: 'Or minutes from the start', inputMode: 'numeric', hint: 'Such as 60; at most 129600, which is 90 days.', autocomplete: 'off' })}
    ${
      components.length > 0 &&
      choicesField(form, {
        name: 'componentIds',
        label: 'Components',
        hint: 'None ticked: the whole page, with what it publishes later.',
        choices: components.map(({ id, displayName }) => ({ value: id, label: displayName })),
        ticked,
      })
    }
  `
}

/** @param asked.ticked ids of components; @param asked.nowMs what the fields of times are compared with */
export const announcePage = (
  page: StatusPage,
  components: readonly Component[],
  asked: { form: FormState; ticked: ReadonlySet<string>; nowMs: number },
): Html => {
  const { form, ticked } = asked
  const now = time(new Date(asked.nowMs).toISOString())
  return html`
    <p>
      It is shown on <a href="/dashboard/pages/${page.id}"><bdi>${page.name}</bdi></a> at once and mailed to
      its confirmed subscribers. Checks run on meanwhile; alerts about what it covers are held until it ends.
    </p>
    ${problemSummary(form, fields)}
    <form method="post" action="${path}?page=${page.id}">
      <div class="fields">
        ${windowFields(components, { form, ticked, startHint: html`In UTC, not in your local time: now it is ${now}. Left empty, it starts at once.` })}
      </div>
      <p class="actions">
        <button class="primary" type="submit">Announce it</button>
        <a href="/dashboard/maintenance">Do not</a>
      </p>
    </form>
  `
}

/** A window that has not begun, to be changed. */
export const changePage = (
  window: MaintenanceWindow,
  components: readonly Component[],
  asked: { form: FormState; ticked: ReadonlySet<string>; nowMs: number },
): Html => {
  const { form, ticked } = asked
  const now = time(new Date(asked.nowMs).toISOString())
  const startHint = html`In UTC, not in your local time: now it is ${now}. It has to lie ahead.`
  return html`
    <p>The page shows it as it is changed at once, and its confirmed subscribers are mailed the change.</p>
    ${problemSummary(form, fields)}
    <form method="post" action="/dashboard/maintenance/${window.id}/change">
      <div class="fields">${windowFields(components, { form, ticked, startHint, window })}</div>
      <p class="actions">
        <button class="primary" type="submit">Change it</button>
        <a href="/dashboard/maintenance/${window.id}">Leave it</a>
      </p>
    </form>
  `
}

/** What follows from cancelling a window that has not begun. */
export const cancelPage = (window: MaintenanceWindow): Html => html`
  <p>
    <bdi>${window.title}</bdi>, for ${scopeText(window)}, would start at ${exactTime(window.startsAt)}. If you
    cancel it:
  </p>
  <ul>
    <li>it never begins: alerts and incidents are not held for it;</li>
    <li>the page shows it no more, and its confirmed subscribers are mailed that it is cancelled;</li>
    <li>it cannot be brought back: more maintenance is a new window.</li>
  </ul>
  <form method="post" action="/dashboard/maintenance/${window.id}/cancel">
    <p class="actions">
      <button class="danger" type="submit">Cancel the window</button>
      <a href="/dashboard/maintenance/${window.id}">Keep it</a>
    </p>
  </form>
`

/** Only a window that has not begun can be changed or cancelled. */
export const begunPage = ({ state, startsAt, endsAt, cancelledAt = null }: MaintenanceWindow): Html => html`
  <p>
    ${
      cancelledAt !== null
        ? html`The window was cancelled at ${exactTime(cancelledAt)}.`
        : state === 'active'
          ? html`The window began at ${exactTime(startsAt)}: it can be ended, not changed.`
          : html`The window ended at ${exactTime(endsAt)}.`
    }
  </p>
  <p><a href="/dashboard/maintenance">Back to the windows</a></p>
`

/** What follows from ending an active window now (S-1605). */
export const endPage = (window: MaintenanceWindow, page: StatusPage | undefined): Html => html`
  <p>
    <bdi>${window.title}</bdi>, for
    ${scopeText(window)}${page !== undefined && html` of <bdi>${page.name}</bdi>`}, would end at
    ${exactTime(window.endsAt)}. If you end it now:
  </p>
  <ul>
    <li>
      alerts that it holds are told: whoever has an outage that began meanwhile and is not over gets its
      alert, within about a quarter of a minute, unless another window covers it;
    </li>
    <li>the page shows what the checks measure instead of maintenance;</li>
    <li>subscribers are not mailed about the end;</li>
    <li>the window cannot be opened again: more maintenance is a new one.</li>
  </ul>
  <form method="post" action="/dashboard/maintenance/${window.id}/end">
    <p class="actions">
      <button class="danger" type="submit">End it now</button>
      <a href="/dashboard/maintenance">Let it run</a>
    </p>
  </form>
`

/** Of a window that has not begun or is over: there is nothing to do (S-1605). */
export const notActivePage = ({ id, state, startsAt, endsAt }: MaintenanceWindow): Html => html`
  <p>
    ${
      state === 'scheduled'
        ? html`The window starts at ${exactTime(startsAt)}. Only an active one can be ended: this one can be
            <a href="/dashboard/maintenance/${id}/cancel">cancelled</a>.`
        : html`The window ended at ${exactTime(endsAt)}.`
    }
  </p>
  <p><a href="/dashboard/maintenance">Back to the windows</a></p>
`
