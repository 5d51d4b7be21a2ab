import type { ErrorKey, ErrorProjectDetails } from '@probe-mesh/contracts/error-tracking/error-project'
import { emptyForm, problemSummary } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { number } from './counted.ts'
import { projectFields } from './projects-page.ts'
import { filtersForm, scrubbingForm } from './settings-forms.ts'
import type { SettingsPart } from './settings-forms.ts'
import { setUp } from './set-up.ts'
import { usageBanner } from './usage.ts'

const pathOf = (id: string): string => `/dashboard/errors/${id}`

/**
 * How SDKs are set up, the keys, and what may be changed.
 * @param refused the form that was not taken, where one was
 * @param message why a key was not made, where that was tried
 */
export const projectPage = (
  project: ErrorProjectDetails,
  refused: { part: SettingsPart; form: FormState } | null,
  message: string | null,
): Html => html`
  ${usageBanner(project.usage)}
  <p><a href="${pathOf(project.id)}">Issues of this project</a></p>
  <p><a href="${pathOf(project.id)}/source-maps">Source maps</a></p>
  <h2>Set up</h2>
  ${setUp(project.platform, project.dsn)}
  <h2>Keys</h2>
  <p>
    The set-up has the newest key. A key is in every page that reports, and no secret: revoke one that is
    misused, after what you run has another.
  </p>
  ${message !== null && html`<div class="problems" role="alert"><p>${message}</p></div>`}
  ${table<ErrorKey>(
    'Keys, oldest first',
    [
      { heading: 'DSN', cell: ({ dsn }) => html`<code>${dsn}</code>` },
      { heading: 'Made', cell: ({ createdAt }) => time(createdAt) },
      { heading: 'Revoked', cell: ({ revokedAt }) => time(revokedAt) },
      {
        heading: 'Act',
        cell: ({ id, publicKey, revokedAt }) =>
          revokedAt === null &&
          html`<a href="${pathOf(project.id)}/keys/${id}/revoke"
            >Revoke<span class="unseen"> ${publicKey}</span></a
          >`,
      },
    ],
    project.keys,
  )}
  <form method="post" action="${pathOf(project.id)}/keys">
    <p class="actions"><button type="submit">Make another key</button></p>
  </form>
  ${scrubbingForm(project, formOf(refused, 'scrubbing'))} ${filtersForm(project, formOf(refused, 'filters'))}
  <h2>Change it</h2>
  ${problemSummary(formOf(refused, 'project'), ['name', 'platform'])}
  <form method="post" action="${pathOf(project.id)}/settings">
    <div class="fields">${projectFields(formOf(refused, 'project'), project)}</div>
    <p class="actions"><button class="primary" type="submit">Save</button></p>
  </form>
  <p><a href="${pathOf(project.id)}/delete">Delete this project</a></p>
`

const formOf = (refused: { part: SettingsPart; form: FormState } | null, part: SettingsPart): FormState =>
  refused?.part === part ? refused.form : emptyForm

/** @param message why it was not revoked, where that was tried */
export const revokeErrorKeyPage = (
  project: ErrorProjectDetails,
  { id, dsn }: ErrorKey,
  message: string | null,
): Html => html`
  ${message !== null && html`<div class="problems" role="alert"><p>${message}</p></div>`}
  <p>
    What is sent with the DSN <code>${dsn}</code> is refused from then on, and lost. A revoked key cannot be
    made to work again. What was reported with it stays.
  </p>
  <form method="post" action="${pathOf(project.id)}/keys/${id}/revoke">
    <p class="actions">
      <button class="danger" type="submit">Revoke the key</button>
      <a href="${pathOf(project.id)}/settings">Keep it</a>
    </p>
  </form>
`

export const deleteProjectPage = (project: ErrorProjectDetails): Html => html`
  <p>With <bdi>${project.name}</bdi> these are lost, and cannot be brought back:</p>
  <ul>
    <li>${number(project.issues)} ${project.issues === 1 ? 'issue' : 'issues'} with all occurrences</li>
    <li>
      the counters of ${number(project.receivedEver)} received
      ${project.receivedEver === 1 ? 'event' : 'events'}
    </li>
    <li>
      ${project.keys.filter(({ revokedAt }) => revokedAt === null).length} working keys: what is sent with
      their DSNs is refused from then on
    </li>
  </ul>
  <p>What the project spent of this month's quota, ${number(project.eventsThisMonth)} events, stays spent.</p>
  <form method="post" action="${pathOf(project.id)}/delete">
    <p class="actions">
      <button class="danger" type="submit">Delete the project</button>
      <a href="${pathOf(project.id)}/settings">Keep it</a>
    </p>
  </form>
`
