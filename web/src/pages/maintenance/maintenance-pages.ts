import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page'
import { choicesField } from '../../html/choices-field.ts'
import { longTextField, problemSummary, textField } from '../../html/form.ts'
import type { FormState } from '../../html/form.ts'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { time } from '../../html/measures.ts'
import { scopeText } from './maintenance-list-page.ts'

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
      It is shown on <a href="/dashboard/pages/${page.id}"><bdi>${page.name}</bdi></a> at once and
      mailed to its confirmed subscribers. Checks run on meanwhile; alerts about what it covers are
      held until it ends.
    </p>
    ${problemSummary(form, fields)}
    <form method="post" action="${path}?page=${page.id}">
      <div class="fields">
        ${textField(form, { name: 'title', label: 'Title', isRequired: true })}
        ${longTextField(form, { name: 'body', label: 'What is done', hint: 'Shown as text, never as markup.', isRequired: true })}
        ${textField(form, { name: 'startsAt', label: 'Start, in UTC', type: 'datetime-local', hint: html`In UTC, not in your local time: now it is ${now}. Left empty, it starts at once.` })}
        ${textField(form, { name: 'endsAt', label: 'End, in UTC', type: 'datetime-local', hint: 'In UTC. Give either the end or the minutes, not both.' })}
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
      </div>
      <p class="actions">
        <button class="primary" type="submit">Announce it</button>
        <a href="/dashboard/maintenance">Do not</a>
      </p>
    </form>
  `
}

/** What follows from ending an active window now (specification, Maintenance window). */
export const endPage = (window: MaintenanceWindow, page: StatusPage | undefined): Html => html`
  <p>
    <bdi>${window.title}</bdi>, for
    ${scopeText(window)}${page !== undefined && html` of <bdi>${page.name}</bdi>`}, would end at
    ${time(window.endsAt)}. If you end it now:
  </p>
  <ul>
    <li>
      alerts that it holds are told: whoever has an outage that began meanwhile and is not over gets
      its alert, within about a quarter of a minute, unless another window covers it;
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

/** "Has not started, or is already over: returned unchanged" (specification): there is nothing to do. */
export const notActivePage = ({ state, startsAt, endsAt }: MaintenanceWindow): Html => html`
  <p>
    ${
      state === 'scheduled'
        ? html`The window starts at ${time(startsAt)}. Only an active one can be ended: end it then.`
        : html`The window ended at ${time(endsAt)}.`
    }
  </p>
  <p><a href="/dashboard/maintenance">Back to the windows</a></p>
`
