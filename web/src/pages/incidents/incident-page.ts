import { IncidentStatus, type Incident } from '@probe-mesh/contracts/incident/incident'
import type { CheckCauseAnswer } from '@probe-mesh/contracts/check/check-cause'
import { causeNotice } from '../cause-card.ts'
import type { ErrorMarks } from '@probe-mesh/error-tracking/contracts/error-marks'
import type { Outage } from '@probe-mesh/contracts/overview/outage-log'
import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import type { Asked } from '../../api/ask.ts'
import { card, stats } from '../../html/components/card.ts'
import { icon } from '../../html/components/icon.ts'
import type { PageHead } from '../../html/components/page-head.ts'
import { isErrorTrackingOff, issueMarksTable } from '../../html/error-marks.ts'
import { problemSummary, type FormState } from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { elapsed, shortDuration, time } from '../../html/measures.ts'
import { incidentWords } from '../../html/publish-words.ts'
import { tag } from '../../html/components/tag.ts'
import { outageRows } from '../outage-table.ts'
import { affectedBy, affectedCard } from './affected-card.ts'
import { incidentFields, previewCard, subjectFields, updateFields } from './incident-form.ts'
import { impactWords } from './incident-words.ts'
import { mailedText } from './new-incident-page.ts'

export type ShownIncident = {
  incident: Incident
  /** null: the page was deleted. */
  page: StatusPage | null
  components: readonly Component[]
  /** By id; a deleted check has none. */
  checkNames: ReadonlyMap<string, string>
  /** Confirmed subscribers of the page. */
  confirmed: number
  /** Measured outages during which it was posted. */
  outages: Asked<readonly Outage[]>
  /** Error issues that began during the incident. */
  errors: Asked<ErrorMarks>
  /** null: it was posted by hand, or is over. */
  cause: Asked<CheckCauseAnswer> | null
}

export const incidentHead = ({
  incident,
  page,
}: Pick<ShownIncident, 'incident' | 'page'>): Pick<PageHead, 'state' | 'about' | 'actions'> => ({
  state: html`<span data-live="state">${tag(incidentWords[incident.status])}</span>`,
  about: html`${incident.source === 'manual' ? 'Posted by your team' : 'Posted by an outage'}${page !== null && html` on <a href="/dashboard/pages/${page.id}"><bdi>${page.name}</bdi></a>`}`,
  actions:
    page !== null &&
    html`<a class="button" href="${page.path}/incidents/${incident.id}">${icon('external')}View on page</a>`,
})

/** One incident: figures, the form of its next update with a preview, and its timeline, newest first. */
export const incidentPage = (
  shown: ShownIncident,
  asked: { form: FormState; ticked: ReadonlySet<string>; nowMs: number },
): Html => {
  const { incident, page, components, checkNames, errors, outages, cause } = shown
  const affected = affectedBy(incident, components, checkNames)
  return html`${causeNotice(cause, incident.checkId)}
    <div data-live="figures">
      ${stats([
        {
          label: 'Duration',
          value: durationOf(incident, asked.nowMs),
          ...(incident.resolvedAt === null && { tone: 'bad' as const }),
        },
        {
          label: 'Impact',
          value: incident.impact === undefined ? 'as measured' : impactWords[incident.impact],
        },
        { label: 'Started', value: time(incident.startedAt) },
        { label: 'Resolved', value: incident.resolvedAt === null ? 'not yet' : time(incident.resolvedAt) },
        {
          label: 'Affected',
          value: affected.length,
          note: affected.length === 1 ? 'component' : 'components',
        },
      ])}
    </div>
    ${updateForm(shown, asked)}
    <div class="cards">
      ${card(
        { id: 'timeline', title: 'Timeline' },
        html`<ol class="timeline" data-live="timeline">
          ${incident.updates.map(
            ({ status, body, createdAt }) =>
              html`<li>
                <p>${tag(incidentWords[status])} <span class="muted">${time(createdAt)}</span></p>
                <p class="prose"><bdi>${body}</bdi></p>
              </li> `,
          )}
        </ol>`,
      )}
      <div data-live="affected">${affectedCard(affected, incident.memberCount ?? 0)}</div>
    </div>
    ${card(
      { id: 'outages', title: 'Outages' },
      outages.ok
        ? outages.value.length === 0
          ? html`<p class="muted">No measured outage belongs to this incident.</p>`
          : outageRows(outages.value, { nowMs: asked.nowMs, withCheck: true })
        : html`<p class="problems">Outages could not be read: ${outages.problem.message}</p>`,
    )}
    ${
      !isErrorTrackingOff(errors) &&
      card(
        {
          id: 'errors',
          title: 'Errors during this incident',
          about: 'From five minutes before until five minutes after. Visitors do not see them.',
        },
        errors.ok
          ? issueMarksTable(errors.value, 'Error issues that began then, newest first')
          : html`<p class="problems">Error issues could not be read: ${errors.problem.message}</p>`,
      )
    }
    ${page === null && html`<p class="muted small-print">The status page of this incident was deleted.</p>`}`
}

/** The duration so far, or the total. */
export const durationOf = ({ startedAt, resolvedAt }: Incident, nowMs: number): Html =>
  resolvedAt === null
    ? elapsed(startedAt, nowMs)
    : html`${shortDuration((Date.parse(resolvedAt) - Date.parse(startedAt)) / 1000)}`

/** The next update; title, impact and components are changed with it. */
const updateForm = (
  { incident, page, components, confirmed }: ShownIncident,
  { form, ticked }: { form: FormState; ticked: ReadonlySet<string> },
): Html => {
  const path = `/dashboard/incidents/${incident.id}/updates`
  const { title, impact = 'minor', status } = incident
  const subjects = ['title', 'impact', 'componentIds']
  const isOpened = form.problems.some((one) => subjects.some((name) => one.path.startsWith(name)))
  const typed = { title, impact, status, ...form.typed }
  return html`${problemSummary(form, incidentFields)}
    <form class="check-form post-form" method="post" action="${path}">
      <div class="form-main">
        <section class="card" aria-labelledby="update">
          <div class="card-head">
            <h2 id="update">Post an update</h2>
            ${status === 'resolved' && html`<p class="muted">A status other than resolved reopens the incident.</p>`}
          </div>
          <div class="fields">
            ${updateFields(form, { path, fallback: status, statuses: IncidentStatus.options })}
          </div>
          ${
            components.length > 0 &&
            html`<details${isOpened ? html` open` : null}>
              <summary>Change title, impact or components</summary>
              <input type="hidden" name="subject" value="on" />
              <div class="fields">
                ${subjectFields(form, { components, ticked, fallback: { title, impact } })}
              </div>
            </details>`
          }
          <p class="actions">
            <button class="primary" type="submit">Post update</button>
            <span class="muted">${mailedText(confirmed)}</span>
          </p>
        </section>
      </div>
      ${page !== null && html`<div class="form-side">${previewCard(page, components, { path, typed, ticked })}</div>`}
    </form>`
}
