import type { Component, StatusPage } from '@probe-mesh/contracts/status-page/status-page'
import { IncidentStatus } from '@probe-mesh/contracts/incident/incident'
import { emptyState } from '../../html/components/card.ts'
import { problemSummary, type FormState } from '../../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { incidentFields, previewCard, subjectFields, updateFields } from './incident-form.ts'

const path = '/dashboard/incidents/new'

/** The page comes first: its components are the choices. */
export const chooseIncidentPage = (pages: readonly StatusPage[], checkId: string | null): Html =>
  pages.length === 0
    ? emptyState({
        icon: 'status-page',
        title: 'No status page yet',
        text: 'An incident is posted on a status page.',
        action: { path: '/dashboard/pages', text: 'Create status page' },
      })
    : html`<ul class="plain-list choose-list">
        ${pages.map(({ id, name, path: address, componentCount }) => {
          const query = new URLSearchParams({ page: id, ...(checkId !== null && { check: checkId }) })
          return html`<li>
            <a class="card" href="${path}?${query.toString()}"
              ><strong><bdi>${name}</bdi></strong>
              <span class="muted"
                >${address} · ${componentCount} ${componentCount === 1 ? 'component' : 'components'}</span
              ></a
            >
          </li>`
        })}
      </ul>`

/** A page without components has no subject for an incident. */
export const nothingPublished = ({ id, name }: StatusPage): Html =>
  emptyState({
    icon: 'status-page',
    title: 'No components to post about',
    text: html`<bdi>${name}</bdi> publishes no check yet. Publish the affected check first.`,
    action: { path: `/dashboard/pages/${id}`, text: 'Open status page' },
  })

/** @param shown.checkIsMissing whether the check in the address is not a component of the page */
export const newIncidentPage = (
  page: StatusPage,
  components: readonly Component[],
  shown: { form: FormState; ticked: ReadonlySet<string>; confirmed: number; checkIsMissing: boolean },
): Html => {
  const { form, ticked, confirmed, checkIsMissing } = shown
  return html`
    ${problemSummary(form, incidentFields)}
    ${
      checkIsMissing &&
      html`<p class="warned">
        The check is not a component of this page.
        <a href="/dashboard/pages/${page.id}">Publish it</a> to name it in the incident.
      </p>`
    }
    <form class="check-form post-form" method="post" action="${path}">
      <input type="hidden" name="statusPageId" value="${page.id}" />
      <div class="form-main">
        <section class="card">
          <div class="fields">${subjectFields(form, { components, ticked })}</div>
        </section>
        <section class="card">
          <div class="fields">
            ${updateFields(form, { path, fallback: 'investigating', statuses: IncidentStatus.exclude(['resolved']).options })}
          </div>
        </section>
      </div>
      <div class="form-side">${previewCard(page, components, { path, typed: form.typed, ticked })}</div>
      <p class="form-bar">
        <button class="primary" type="submit">Post incident</button>
        <a class="button" href="/dashboard/incidents?view=posted">Cancel</a>
        <span class="muted">${mailedText(confirmed)}</span>
      </p>
    </form>
  `
}

/** The recipients of mail about an update (S-1504). */
export const mailedText = (confirmed: number): string =>
  confirmed === 0
    ? 'Shown within 10 seconds. The page has no confirmed subscribers.'
    : `Shown within 10 seconds, and mailed to up to ${confirmed} confirmed ${confirmed === 1 ? 'subscriber' : 'subscribers'}.`
