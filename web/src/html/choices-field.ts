import type { Choice, FormState } from './form.ts'
import { attribute, flag, html } from './html.ts'
import type { Html } from './html.ts'

/**
 * Boxes of one name, of which any number is ticked: each that is comes with its value. A problem of
 * one of them (`name[1]`) is said beside all.
 */
export const choicesField = (
  { problems }: Pick<FormState, 'problems'>,
  field: {
    name: string
    label: string
    hint: string
    choices: readonly Choice[]
    ticked: ReadonlySet<string>
  },
): Html => {
  const { name, label, hint, choices, ticked } = field
  const id = `field-${name}`
  const own = problems.filter(({ path }) => path === name || path.startsWith(`${name}[`))
  const described = own.length > 0 ? `${id}-hint ${id}-problem` : `${id}-hint`
  return html`<fieldset id="${id}" ${attribute('aria-describedby', described)}>
    <legend>${label}</legend>
    <p class="hint" id="${id}-hint">${hint}</p>
    ${choices.map(
      ({ value, label }, index) =>
        html`<p class="choice">
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
