import type { ErrorKey, ErrorProjectDetails } from '../contracts/error-project.ts'
import { card } from '@probe-mesh/web/src/html/components/card'
import { emptyForm, problemSummary, type FormState } from '@probe-mesh/web/src/html/components/form'
import { tag } from '@probe-mesh/web/src/html/components/tag'
import { confirmForm } from '@probe-mesh/web/src/html/components/confirm-form'
import { html, type Html } from '@probe-mesh/runtime/html'
import { named, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'
import { projectFieldNames, projectFields } from './projects-page.ts'
import { projectPath } from './project-tabs.ts'
import { filtersForm, scrubbingForm, type SettingsPart } from './settings-forms.ts'
import { setUp } from './set-up.ts'
import { usageBanner } from '@probe-mesh/web/src/pages/account/error-usage'

/**
 * The set-up of SDKs, the keys, and the settings of a project.
 * @param refused the refused form, if any
 * @param message why a key was not created
 */
export const settingsPage = (
  project: ErrorProjectDetails,
  refused: { part: SettingsPart; form: FormState } | null,
  message: string | null,
): Html => {
  const formOf = (part: SettingsPart): FormState => (refused?.part === part ? refused.form : emptyForm)
  return html`${usageBanner(project.usage)}
  ${card({ id: 'set-up', title: 'SDK set-up' }, setUp(project.platform, project.dsn))}
  ${keysCard(project, message)} ${generalCard(project, formOf('project'))}
  ${scrubbingForm(project, formOf('scrubbing'))} ${filtersForm(project, formOf('filters'))}
  ${card(
    { id: 'delete', title: 'Delete project', about: 'with its issues, events and counters' },
    html`<p>
      <a class="button danger" href="${projectPath(project.id)}/delete" data-confirm>Delete project</a>
    </p>`,
  )}`
}

const keysCard = (project: ErrorProjectDetails, message: string | null): Html =>
  card(
    {
      id: 'keys',
      title: 'Keys',
      about: 'a DSN contains a key; it is not a secret',
      actions: html`<form method="post" action="${projectPath(project.id)}/keys">
        <button type="submit">Create key</button>
      </form>`,
    },
    html`${message !== null && html`<div class="problems" role="alert"><p>${message}</p></div>`}
      <ul class="plain-list outages project-keys" aria-label="Keys, oldest first">
        ${project.keys.map((key) => keyItem(project.id, key))}
      </ul>`,
  )

const keyItem = (projectId: string, { id, dsn, publicKey, createdAt, revokedAt }: ErrorKey): Html =>
  html`<li>
    <code class="dsn">${dsn}</code>
    <span class="muted small-print"
      >${tag(revokedAt === null ? { tone: 'good', text: 'Active' } : { tone: 'silent', text: 'Revoked' })}
      ${revokedAt === null ? html`created ${time(createdAt)}` : time(revokedAt)}</span
    >
    ${
      revokedAt === null &&
      html`<a href="${projectPath(projectId)}/keys/${id}/revoke" data-confirm
        >Revoke<span class="unseen"> ${publicKey}</span></a
      >`
    }
  </li>`

const generalCard = (project: ErrorProjectDetails, form: FormState): Html =>
  card(
    { id: 'general', title: 'General' },
    html`${problemSummary(form, projectFieldNames)}
      <form method="post" action="${projectPath(project.id)}/settings">
        <div class="fields">${projectFields(form, project)}</div>
        <p class="actions"><button class="primary" type="submit">Save project</button></p>
      </form>`,
  )

/** @param message why the key was not revoked, if that was tried */
export const revokeErrorKeyPage = (
  project: ErrorProjectDetails,
  { id, dsn }: ErrorKey,
  message: string | null,
): Html =>
  html`<div data-dialog>
    ${message !== null && html`<div class="problems" role="alert"><p>${message}</p></div>`}
    <p>Events that are sent with this DSN are refused and lost:</p>
    <p><code>${dsn}</code></p>
    <p class="muted">Stored events stay. A revoked key cannot be activated again.</p>
    ${confirmForm({ action: `${projectPath(project.id)}/keys/${id}/revoke`, button: 'Revoke key', cancel: `${projectPath(project.id)}/settings` })}
  </div>`

export const deleteProjectPage = (project: ErrorProjectDetails): Html => {
  const active = project.keys.filter(({ revokedAt }) => revokedAt === null).length
  return html`<div data-dialog>
    <p>${named(project.name)} is deleted for good, with:</p>
    <ul>
      <li>${counted(project.issues, 'issue')} and all their events</li>
      <li>the counters of ${counted(project.receivedEver, 'received event')}</li>
      <li>${counted(active, 'active key')}: SDKs that use them are refused</li>
    </ul>
    <p class="muted">
      ${counted(project.eventsThisMonth, 'event')} of this month still
      ${project.eventsThisMonth === 1 ? 'counts' : 'count'} against the quota.
    </p>
    ${confirmForm({ action: `${projectPath(project.id)}/delete`, button: 'Delete project', cancel: `${projectPath(project.id)}/settings` })}
  </div>`
}
