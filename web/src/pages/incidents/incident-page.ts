import { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import type { ErrorMarks } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { SubscriberCount } from '@probe-mesh/contracts/subscriber/subscriber'
import type { Asked } from '../../api/ask.ts'
import { issueMarksTable } from '../../html/error-marks.ts'
import { longTextField, problemSummary, selectField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, named, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { tag } from '../../html/components/tag.ts'

export type ShownIncident = {
  incident: Incident
  pageName: string
  /** By id; one that is gone has none. */
  checkNames: ReadonlyMap<string, string>
  /** Of the page, whatever they are subscribed to of it. */
  subscriptions: Pick<SubscriberCount, 'confirmed'>
  /** What began of errors meanwhile. */
  errors: Asked<ErrorMarks>
}

/** Who is mailed what is written here (S-1504). */
export const mailedText = ({ confirmed }: Pick<SubscriberCount, 'confirmed'>): string =>
  confirmed === 0
    ? 'It is shown on the page at once. Confirmed subscribers are mailed; the page has none yet.'
    : `It is shown on the page at once, and mailed to the confirmed subscribers of the page and of this component: the page has ${confirmed} in all.`

const checkLink = (id: string, names: ShownIncident['checkNames']): Html =>
  html`<a href="/dashboard/checks/${id}">${named(names.get(id) ?? id)}</a>`

/** The checks that an automatic incident is about, each with the time that it is down. */
const membersOf = (
  { members = [], memberCount = members.length }: Incident,
  names: ShownIncident['checkNames'],
): Html | null => {
  if (members.length === 0) return null
  const more = memberCount - members.length
  return html`<dt>Down by the same cause</dt>
    <dd>
      <ul>
        ${members.map(
          ({ checkId, downAt, downUntil }) =>
            html`<li>
              ${checkLink(checkId, names)}: since
              ${exactTime(downAt)}${downUntil === null ? ', still down' : html`, not down since ${exactTime(downUntil)}`}
            </li> `,
        )}
        ${more > 0 && html`<li>and ${more} more</li> `}
      </ul>
    </dd>`
}

/** One incident: its timeline, newest first, and the form that goes on with it. */
export const incidentPage = (
  { incident, pageName, checkNames, subscriptions, errors }: ShownIncident,
  form: FormState,
): Html => html`
  <dl>
    <dt>Status</dt>
    <dd>${tag(incidentWords[incident.status])}</dd>
    <dt>Source</dt>
    <dd>${incident.source}</dd>
    <dt>Page</dt>
    <dd><a href="/dashboard/pages/${incident.statusPageId}">${named(pageName)}</a></dd>
    <dt>Check</dt>
    <dd>${checkLink(incident.checkId, checkNames)}</dd>
    ${membersOf(incident, checkNames)}
    <dt>Region</dt>
    <dd>${incident.region ?? 'none: a heartbeat is measured in no region'}</dd>
    <dt>Since</dt>
    <dd>${time(incident.startedAt)}</dd>
    <dt>Resolved</dt>
    <dd>${incident.resolvedAt === null ? 'not yet' : time(incident.resolvedAt)}</dd>
  </dl>
  <h2>Add an update</h2>
  <p>
    ${mailedText(subscriptions)} The same status and text again within a minute counts
    once.${incident.status === 'resolved' ? ' Any other status than resolved opens the incident again.' : ''}
  </p>
  ${problemSummary(form, ['status', 'body'])}
  <form method="post" action="/dashboard/incidents/${incident.id}/updates">
    <div class="fields">
      ${selectField(form, {
        name: 'status',
        label: 'Status',
        fallback: incident.status,
        choices: IncidentStatus.options.map((value) => ({
          value,
          label: incidentWords[value].text,
        })),
      })}
      ${longTextField(form, { name: 'body', label: 'What you know', hint: 'Shown as text, never as markup.', isRequired: true, rows: 6 })}
    </div>
    <p class="actions"><button class="primary" type="submit">Publish the update</button></p>
  </form>
  <h2>Timeline</h2>
  <ol class="timeline">
    ${incident.updates.map(
      ({ status, body, createdAt }) =>
        html`<li>
          <p>${tag(incidentWords[status])} ${time(createdAt)}</p>
          <p class="prose"><bdi>${body}</bdi></p>
        </li> `,
    )}
  </ol>
  <h2>Errors meanwhile</h2>
  <p class="muted">
    What began of error issues while it was open, and five minutes before and after. It is shown here only;
    that both happened at once does not say that one is the cause of the other.
  </p>
  ${
    errors.ok
      ? issueMarksTable(errors.value, 'Error issues that began then, newest first')
      : html`<p>Error issues could not be read: ${errors.problem.message}</p>`
  }
`
