import { limits } from '@probe-mesh/contracts/schema/limits'
import type { FormState } from '../../html/components/form.ts'
import { flag, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { stepAssertionFields } from './assertion-fields.ts'
import { fieldHtml } from './field-html.ts'
import type { Field } from './field.ts'
import { stepFieldName, stepRequestFields } from './step-texts.ts'

/**
 * The steps of a form that is typed into. Its buttons send the form, which comes back with the act done
 * and nothing saved, so that it works without scripts.
 * @param path of the form: a button's answer opens at the step that it was about
 */
export const stepsEditor = (form: FormState, path: string, count: number): Html => {
  const own = form.problems.filter((problem) => problem.path === 'steps')
  return html`<div id="field-steps" class="steps">
    <h2>Steps</h2>
    <p class="hint">
      They run in this order with one cookie jar; the first that fails ends the run. At most
      ${limits.stepsMax}.
    </p>
    ${own.map(({ message }) => html`<p class="problem">${message}</p>`)}
    ${Array.from({ length: count }, (_, index) => stepHtml(form, path, index, count))}
    ${
      count < limits.stepsMax &&
      html`<p class="actions">
        <button type="submit" name="act" value="add" formnovalidate formaction="${path}#step-${count + 1}">
          Add a step
        </button>
      </p>`
    }
  </div>`
}

const stepHtml = (form: FormState, path: string, index: number, count: number): Html => {
  const within = (field: Field): Field => ({ ...field, name: stepFieldName(index, field.name) })
  const fields = (some: readonly Field[]): Html[] => some.map((field) => fieldHtml(form, within(field)))
  const number = index + 1
  const isAsserted = stepAssertionFields.some(({ name }) => {
    const path = stepFieldName(index, name)
    return (form.typed[path] ?? '') !== '' || form.problems.some((each) => each.path === path)
  })
  return html`<fieldset class="step" id="step-${number}" tabindex="-1">
    <legend>Step ${number}</legend>
    <div class="fields">${fields(stepRequestFields)}</div>
    <details ${flag('open', isAsserted)}>
      <summary>Assertions of step ${number}</summary>
      <div class="fields">${fields(stepAssertionFields)}</div>
    </details>
    <p class="actions">
      ${index > 0 && actButton(path, { act: 'up', text: 'Move up', index, opens: number - 1 })}
      ${number < count && actButton(path, { act: 'down', text: 'Move down', index, opens: number + 1 })}
      ${
        count > 1 &&
        actButton(path, {
          act: 'remove',
          text: 'Remove',
          index,
          opens: Math.min(number, count - 1),
        })
      }
    </p>
  </fieldset>`
}

/** @param button.opens number of the step that the answer opens at */
const actButton = (
  path: string,
  { act, text, index, opens }: { act: string; text: string; index: number; opens: number },
): Html =>
  html`<button
    type="submit"
    name="act"
    value="${act}-${index}"
    formnovalidate
    formaction="${path}#step-${opens}"
  >
    ${text}<span class="unseen"> step ${index + 1}</span>
  </button> `
