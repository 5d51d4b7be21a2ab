import { problemsOf, textField } from './form.ts'
import type { FormState } from './form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** A field for a new password; islands/password.js shows its strength. */
export const newPasswordField = (form: FormState, field: { name: string; label: string }): Html =>
  html`<div class="new-password" data-module="/module#password">
    ${textField(form, {
      ...field,
      type: 'password',
      hint: 'At least 12 characters, such as four unrelated words.',
      autocomplete: 'new-password',
      isRequired: true,
    })}
    <p class="strength">
      <meter min="0" max="3" low="2" high="3" optimum="3" aria-label="Strength" hidden></meter>
      <span role="status"></span>
    </p>
  </div>`

/**
 * Problems of a short form that none of its fields shows.
 * @param names of the fields that the form shows
 */
export const problemNote = (form: FormState, names: readonly string[]): Html | null => {
  const shown = new Set(names.flatMap((name) => problemsOf(form, name)))
  const rest = form.problems.filter((problem) => !shown.has(problem)).map(({ message }) => message)
  if (form.message === null && form.problems.length === 0) return null
  const text = form.message ?? (rest.length > 0 ? rest.join('; ') : 'Correct the fields below.')
  return html`<p class="problems" role="alert">${text}</p>`
}
