import { problemsOf } from './form.ts'
import type { Choice, FormState } from './form.ts'
import { attribute, flag, html } from './html.ts'
import type { Html } from './html.ts'

/** Of a group: boxes under one name, of which any number is ticked. */
export const tickField = (
  form: FormState,
  field: { name: string; label: string; choices: readonly Choice[]; ticked: ReadonlySet<string> },
): Html => {
  const id = `field-${field.name}`
  const own = problemsOf(form, field.name)
  return html`<fieldset
    id="${id}"
    ${attribute('aria-describedby', own.length > 0 ? `${id}-problem` : null)}
  >
    <legend>${field.label}</legend>
    ${field.choices.length === 0 && html`<p class="hint">There is none yet.</p>`}
    ${field.choices.map(
      ({ value, label }) =>
        html`<p class="choice">
          <label
            ><input
              type="checkbox"
              name="${field.name}"
              value="${value}"
              ${flag('checked', field.ticked.has(value))}
            /><bdi>${label}</bdi></label
          >
        </p> `,
    )}${own.length > 0 && html`<p class="problem" id="${id}-problem">${own.map(({ message }) => message).join('; ')}</p>`}
  </fieldset> `
}
