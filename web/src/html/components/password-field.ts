import {
  passwordAdvice,
  passwordCharactersMin,
  passwordProblems,
} from '@probe-mesh/contracts/account/password-problems'
import { problemsOf, textField } from './form.ts'
import type { FormState } from './form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'

/** Of the server, where it refuses; the rest it decides itself, since it knows common passwords and words. */
const { short, own, repeat } = passwordProblems
const strength = JSON.stringify({
  charactersMin: passwordCharactersMin,
  words: {
    short,
    own: `${own}. ${passwordAdvice}`,
    repeat: `${repeat}. ${passwordAdvice}`,
    fair: 'Long enough. Common words are refused.',
    good: 'Looks strong',
  },
})

/** A password that is chosen now; islands/password.js says what is wrong with it as it is typed. */
export const newPasswordField = (
  form: FormState,
  { hint, ...field }: { name: string; label: string; hint?: string },
): Html =>
  html`<div class="new-password" data-module="/module#password" data-strength="${strength}">
    ${textField(form, {
      ...field,
      type: 'password',
      hint: `At least ${passwordCharactersMin} characters, such as four unrelated words.${hint === undefined ? '' : ` ${hint}`}`,
      autocomplete: 'new-password',
      isRequired: true,
    })}
    <p class="strength">
      <meter min="0" max="3" low="2" high="3" optimum="3" aria-label="Strength" hidden></meter>
      <span role="status"></span>
    </p>
  </div>`

/**
 * What is wrong with a short form, said once: fields say it themselves, and this says the rest.
 * @param names of the fields that the form shows
 */
export const problemNote = (form: FormState, names: readonly string[]): Html | null => {
  const shown = new Set(names.flatMap((name) => problemsOf(form, name)))
  const rest = form.problems.filter((problem) => !shown.has(problem)).map(({ message }) => message)
  if (form.message === null && form.problems.length === 0) return null
  const text = form.message ?? (rest.length > 0 ? rest.join('; ') : 'Correct the fields below.')
  return html`<p class="problems" role="alert">${text}</p>`
}
