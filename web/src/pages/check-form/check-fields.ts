import type { PrivateAgent } from '@probe-mesh/contracts/agent/agent'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Me } from '@probe-mesh/contracts/account/account'
import { textField } from '../../html/components/form.ts'
import type { FormState } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration } from '../../html/measures.ts'
import { agentField } from './agent-field.ts'
import { fastestOf, isProbed } from './check-texts.ts'
import { fieldHtml } from './field-html.ts'
import { regionsField } from './regions-field.ts'
import { typeFields } from './type-fields.ts'
import type { FieldGroup } from './type-fields.ts'

export const groupHtml = (form: FormState, { legend, fields }: FieldGroup): Html =>
  html`<fieldset>
    <legend>${legend}</legend>
    <div class="fields">${fields.map((field) => fieldHtml(form, field))}</div>
  </fieldset>`

/**
 * The fields that a check of the type has, but for a journey's steps.
 * @param empty what it means that the interval is left empty
 */
export const checkFields = (
  type: CheckType,
  form: FormState,
  { me, agents, empty }: { me: Me; agents: readonly PrivateAgent[]; empty: string },
): Html => html`
  <div class="fields">
    ${textField(form, {
      name: 'name',
      label: 'Name',
      hint: 'As it stands in lists, alerts and on status pages.',
      isRequired: true,
    })}
    ${typeFields[type].map((group) => groupHtml(form, group))}
    ${
      isProbed(type) && [
        textField(form, {
          name: 'intervalSeconds',
          label: 'Interval, seconds',
          inputMode: 'numeric',
          hint: `Of each region. The fastest here is ${duration(fastestOf(type, me))}. Empty: ${empty}.`,
        }),
        agentField(type, form, agents),
        regionsField(form, me.regions),
      ]
    }
  </div>
`

/**
 * What the Enter key in a field presses: the first button of a form. It would be one that moves or
 * removes a step otherwise.
 */
export const enterSaves = html`<button
  class="unseen"
  type="submit"
  name="act"
  value="save"
  tabindex="-1"
  aria-hidden="true"
>
  Save
</button>`
