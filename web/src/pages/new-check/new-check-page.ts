import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import { icon } from '../../html/components/icon.ts'
import { longTextField, type FormState } from '../../html/components/form.ts'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'
import { checkForm } from '../check-form/check-form.ts'
import { importNotes, importPath, type ImportNotes } from '../check-form/import-notes.ts'
import { typeForms } from '../check-fields/type-forms.ts'

const newPath = '/dashboard/checks/new'

/** The types side by side; the form's type is current. */
const typeChoice = (current: CheckType): Html =>
  html`<nav class="types" aria-label="Type of check">
    <ul>
      ${Object.entries(typeForms).map(
        ([type, { name, icon: iconName }]) =>
          html`<li>
            <a href="${newPath}/${type}" ${attribute('aria-current', type === current ? 'page' : null)}
              >${icon(iconName)}${name}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

/** Shown only near the limit of the plan. */
const allowanceOf = ({ limits: { monitors }, account }: Me): Html | null =>
  monitors.used < monitors.allowed
    ? null
    : html`<p class="problems">
        The limit of ${monitors.allowed} checks of the ${account.tier} plan is reached. Delete a check or
        upgrade the plan.
      </p>`

/** The form of a new check. @param curl the pasted command, with its unreadable parts */
export const newCheckPage = (
  type: CheckType,
  form: FormState,
  page: {
    me: Me
    agents: readonly PrivateAgent[]
    trial: Trial | null
    curl: { text: string; notes: readonly string[] } | null
    imported: ImportNotes | null
  },
): Html => {
  const { me, agents, trial, curl, imported } = page
  const path = `${newPath}/${type}`
  return html`${typeChoice(type)}
    <p class="muted type-about">${typeForms[type].about}</p>
    ${allowanceOf(me)} ${imported !== null && importNotes(imported)}
    ${(type === 'http' || type === 'multistep') && pasteCurl(path, curl)}
    ${checkForm(type, form, { path, me, agents, trial, save: 'Create check', cancelPath: '/dashboard/checks' })}`
}

const pasteCurl = (path: string, curl: { text: string; notes: readonly string[] } | null): Html =>
  html`<details class="paste" ${flag('open', curl !== null)}>
    <summary>Paste a curl command</summary>
    <form method="post" action="${path}" novalidate>
      ${longTextField(
        { typed: { curl: curl?.text }, message: null, problems: [] },
        { name: 'curl', label: 'curl command', rows: 3 },
      )}
      ${curl !== null && curl.notes.map((note) => html`<p class="problem">${note}</p>`)}
      <p class="actions">
        <button type="submit" name="act" value="curl">Fill in the form</button>
        <a href="${importPath}">Import an OpenAPI document or a HAR file</a>
      </p>
    </form>
  </details>`
