import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { Check } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import { checkField, problemSummary } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { named } from '../../html/measures.ts'
import type { Trial } from '@probe-mesh/contracts/check/trial'
import { agentField } from '../check-form/agent-field.ts'
import { checkFields, enterSaves, groupHtml } from '../check-form/check-fields.ts'
import { fieldHtml } from '../check-form/field-html.ts'
import { fieldNames, isProbed, judgingFields } from '../check-form/check-texts.ts'
import { regionsField } from '../check-form/regions-field.ts'
import { checkAssertionFields } from '../check-form/assertion-fields.ts'
import { stepsIn } from '../check-form/step-texts.ts'
import { stepsEditor } from '../check-form/steps-editor.ts'
import { trialHtml, tryButton, tryHint } from '../check-form/trial-html.ts'
import { sendRegionField } from '../check-form/type-fields.ts'

export const pathOf = ({ id }: Pick<Check, 'id'>): string => `/dashboard/checks/${id}`

/** @param tried path of the form, where it may be tried before it is saved */
const save = (check: Check, text: string, tried: string | null = null): Html => html`
  ${tried !== null && tryHint}
  <p class="actions">
    ${tried !== null && tryButton(tried)}
    <button class="primary" type="submit" name="act" value="save">${text}</button>
    <a href="${pathOf(check)}">Leave it as it is</a>
  </p>
`

/** A journey is tried with its steps, on their page. */
const isTriedByItsForm = ({ type }: Check): boolean => isProbed(type) && type !== 'multistep'

/** The form of a check of any type but http. */
export const editCheckPage = (
  check: Check,
  form: FormState,
  { me, agents, trial }: { me: Me; agents: readonly PrivateAgent[]; trial: Trial | null },
): Html => html`
  <p>
    The ${check.type} check <a href="${pathOf(check)}">${named(check.name)}</a>.
    ${
      check.type === 'multistep' &&
      html`Its steps are on <a href="${pathOf(check)}/steps">a page of their own</a>.`
    }
  </p>
  ${problemSummary(form, fieldNames(check.type, form.typed))} ${trial !== null && trialHtml(trial)}
  <form method="post" action="${pathOf(check)}/edit" novalidate>
    ${enterSaves} ${checkFields(check.type, form, { me, agents, empty: 'as it was' })}
    ${checkField(form, {
      name: 'paused',
      label: 'Paused',
      hint: 'A paused check is not measured, and nothing is said to be missing meanwhile.',
    })}
    ${save(check, 'Save', isTriedByItsForm(check) ? `${pathOf(check)}/edit` : null)}
  </form>
`

/** The editor of a journey's steps, which are saved all at once. */
export const stepsPage = (check: Check, form: FormState, trial: Trial | null): Html => {
  const path = `${pathOf(check)}/steps`
  return html`
    <p>Of the journey <a href="${pathOf(check)}">${named(check.name)}</a>. Saving replaces the whole list.</p>
    ${problemSummary(form, fieldNames(check.type, form.typed))} ${trial !== null && trialHtml(trial)}
    <form method="post" action="${path}" novalidate>
      ${enterSaves} ${stepsEditor(form, path, stepsIn(form.typed).length)}
      ${save(check, 'Save the steps', path)}
    </form>
  `
}

/** What of an http check can be changed, in the two forms that the API takes it in. */
export const editHttpPage = (
  check: Check,
  form: FormState,
  { me, agents }: { me: Me; agents: readonly PrivateAgent[] },
): Html => html`
  <p>The http check <a href="${pathOf(check)}">${named(check.name)}</a>.</p>
  <p>
    The name, the URL and the interval of an http check stay as they were made, since its history is of that
    address. Make
    <a href="/dashboard/checks/new/http?from=${check.id}">another check like it</a> and delete this one, if
    they are to be others.
  </p>
  ${problemSummary(form, fieldNames('http', form.typed))}
  <h2>Where it is measured from</h2>
  <form method="post" action="${pathOf(check)}/edit/regions">
    ${agentField('http', form, agents)} ${regionsField(form, me.regions)} ${save(check, 'Save the regions')}
  </form>
  <h2>What is sent</h2>
  <form method="post" action="${pathOf(check)}/edit/header">
    ${fieldHtml(form, sendRegionField)} ${save(check, 'Save what is sent')}
  </form>
  <h2>How it is judged</h2>
  <form method="post" action="${pathOf(check)}/edit/judging" novalidate>
    ${groupHtml(form, { legend: 'Timeout and refusals', fields: judgingFields })}
    ${save(check, 'Save how it is judged')}
  </form>
  <h2>What is good</h2>
  <form method="post" action="${pathOf(check)}/edit/assertions" novalidate>
    ${groupHtml(form, { legend: 'Assertions', fields: checkAssertionFields })}
    ${save(check, 'Save the assertions')}
  </form>
`
