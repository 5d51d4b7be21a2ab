import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import { problemSummary } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import { checkFields, enterSaves } from '../check-form/check-fields.ts'
import { fieldNames, isProbed } from '../check-form/check-texts.ts'
import { stepsIn } from '../check-form/step-texts.ts'
import { stepsEditor } from '../check-form/steps-editor.ts'
import { trialHtml, tryButton, tryHint } from '../check-form/trial-html.ts'
import { typeSentences } from '../check-form/type-fields.ts'

const newPath = '/dashboard/checks/new'

/** How many checks the account has of how many that it may have. */
const allowanceOf = ({ limits: { monitors }, account }: Me): Html =>
  monitors.used < monitors.allowed
    ? html`<p class="muted">
        The account has ${monitors.used} of the ${monitors.allowed} checks of the ${account.tier} tier.
      </p>`
    : html`<p class="problems">
        The account has as many checks as the ${account.tier} tier allows (${monitors.allowed}): another one
        is refused until one is deleted.
      </p>`

/** The types, each with what it is for. */
export const chooseTypePage = (me: Me): Html => html`
  ${allowanceOf(me)}
  <dl class="types">
    ${Object.entries(typeSentences).map(
      ([type, sentence]) =>
        html`<dt><a href="${newPath}/${type}">${type}</a></dt>
          <dd>${sentence}</dd> `,
    )}
  </dl>
`

/** The form of a new check. @param trial what it saw, where it was tried as it is typed */
export const newCheckPage = (
  type: CheckType,
  form: FormState,
  { me, agents, trial }: { me: Me; agents: readonly PrivateAgent[]; trial: Trial | null },
): Html => {
  const path = `${newPath}/${type}`
  return html`
    <p>${typeSentences[type]} <a href="${newPath}">Another type</a></p>
    ${allowanceOf(me)} ${problemSummary(form, fieldNames(type, form.typed))}
    ${trial !== null && trialHtml(trial)}
    <form method="post" action="${path}" novalidate>
      ${enterSaves} ${checkFields(type, form, { me, agents, empty: 'the fastest' })}
      ${type === 'multistep' && stepsEditor(form, path, stepsIn(form.typed).length)}
      ${isProbed(type) && tryHint}
      <p class="actions">
        ${isProbed(type) && tryButton(path)}
        <button class="primary" type="submit" name="act" value="save">Make the check</button>
        <a href="/dashboard/checks">Do not make it</a>
      </p>
    </form>
  `
}
