import { limits } from '@probe-mesh/contracts/schema/limits'
import { problemsOf, type FormState } from '../../html/components/form.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { stepAssertionFields } from '../check-fields/assertion-fields.ts'
import { fieldHtml } from './field-html.ts'
import type { Field } from '../../html/components/field.ts'
import { stepOptionFields } from '../check-fields/request-fields.ts'
import { stepBodyFields, stepFieldName, stepMainFields } from './step-texts.ts'
import { icon, type IconName } from '../../html/components/icon.ts'

/**
 * The steps of a journey, one row each that opens to its fields. The buttons post the form, which returns
 * with the step added, moved or removed and nothing saved; islands/page.js does the same without loading the
 * page.
 * @param path of the form: the answer opens at the affected step
 */
export const stepsEditor = (form: FormState, path: string, count: number): Html => {
  const own = form.problems.filter((problem) => problem.path === 'steps')
  return html`<div id="field-steps" class="steps">
    <div class="card-head">
      <h2>Steps</h2>
      <p class="muted">The first failure ends the run.</p>
    </div>
    ${own.map(({ message }) => html`<p class="problem">${message}</p>`)}
    <ol class="step-list">
      ${Array.from({ length: count }, (_, index) => stepHtml(form, path, index, count))}
    </ol>
    ${
      count < limits.stepsMax &&
      html`<button
        type="submit"
        name="act"
        value="add"
        formnovalidate
        formaction="${path}#step-${count + 1}"
        data-inplace
      >
        ${icon('plus')}Add step
      </button>`
    }
  </div>`
}

const stepHtml = (form: FormState, path: string, index: number, count: number): Html => {
  const within = (field: Field): Field => ({ ...field, name: stepFieldName(index, field.name) })
  const fields = (some: readonly Field[]): Html[] => some.map((field) => fieldHtml(form, within(field)))
  const text = (name: string): string => form.typed[stepFieldName(index, name)] ?? ''
  const isUsed = (some: readonly Field[]): boolean =>
    some.some(({ name }) => text(name) !== '' || problemsOf(form, stepFieldName(index, name)).length > 0)
  const number = index + 1
  // a step without a URL needs input; a step with a problem must be visible
  const isWrong = form.problems.some(({ path: at }) => at.startsWith(`steps[${index}]`))
  const isOpen = isWrong || text('url') === '' || text('name') === ''
  return html`<li class="step" id="step-${number}" tabindex="-1">
    <details aria-label="Step ${number}" data-folds${flag('open', isOpen)}>
      <summary>
        <span class="step-number">${number}</span>
        <span class="method">${text('method') || 'GET'}</span>
        <strong><bdi>${text('name') || 'New step'}</bdi></strong>
        <bdi class="code muted">${text('url')}</bdi>
      </summary>
      <div class="fields">${fields(stepMainFields)}</div>
      <details${flag('open', isUsed(stepBodyFields))}>
        <summary>Body</summary>
        <div class="fields">${fields(stepBodyFields)}</div>
      </details>
      <details${flag('open', isUsed(stepOptionFields))}>
        <summary>Request</summary>
        <div class="fields">${fields(stepOptionFields)}</div>
      </details>
      <details${flag('open', isUsed(stepAssertionFields))}>
        <summary>Assertions</summary>
        <div class="fields">${fields(stepAssertionFields)}</div>
      </details>
    </details>
    <div class="step-acts">
      ${index > 0 && actButton(path, { act: 'up', text: 'Move up', icon: 'up', index, opens: number - 1 })}
      ${number < count && actButton(path, { act: 'down', text: 'Move down', icon: 'down', index, opens: number + 1 })}
      ${actButton(path, { act: 'copy', text: 'Duplicate', icon: 'clone', index, opens: number + 1 })}
      ${
        count > 1 &&
        actButton(path, {
          act: 'remove',
          text: 'Remove',
          icon: 'delete',
          index,
          opens: Math.min(number, count - 1),
        })
      }
    </div>
  </li>`
}

/** @param button.opens the number of the step at which the answer opens */
const actButton = (
  path: string,
  button: { act: string; text: string; icon: IconName; index: number; opens: number },
): Html =>
  html`<button
    type="submit"
    class="icon-button"
    name="act"
    value="${button.act}-${button.index}"
    formnovalidate
    formaction="${path}#step-${button.opens}"
    aria-label="${button.text} step ${button.index + 1}"
    title="${button.text}"
    data-inplace
  >
    ${icon(button.icon)}
  </button>`
