import { idOf, problemsOf, type Choice, type FormState } from './form.ts'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'

/**
 * Checkboxes with one name; each ticked box sends its value. A problem of one box (`name[1]`) is shown for
 * the whole field.
 */
export const choicesField = (
  form: Pick<FormState, 'problems'>,
  field: {
    name: string
    label: string
    hint?: string
    /** Choices of one group are listed together, below its name. */
    choices: readonly (Choice & { group?: string | null })[]
    ticked: ReadonlySet<string>
  },
): Html => {
  const { name, label, hint, choices, ticked } = field
  const id = idOf(name)
  const own = problemsOf(form, name)
  const described = [hint !== undefined && `${id}-hint`, own.length > 0 && `${id}-problem`]
    .filter((each) => each !== false)
    .join(' ')
  return html`<fieldset id="${id}" ${attribute('aria-describedby', described || null)}>
    <legend>${label}</legend>
    ${hint !== undefined && html`<p class="hint" id="${id}-hint">${hint}</p>`}
    ${choices.length === 0 && html`<p class="hint">There is none yet.</p>`}
    ${choices.map(
      ({ value, label, group = null }, index) =>
        html`${
            group !== null &&
            group !== (choices[index - 1]?.group ?? null) &&
            html`<p class="choice-group"><bdi>${group}</bdi></p>`
          }
          <p class="choice">
            <input
              type="checkbox"
              id="${id}-${index}"
              name="${name}"
              value="${value}"
              ${flag('checked', ticked.has(value))}
            /><label for="${id}-${index}"><bdi>${label}</bdi></label>
          </p> `,
    )}${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </fieldset> `
}
