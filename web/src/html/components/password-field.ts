import {
  passwordAdvice,
  passwordCharactersMin,
  passwordProblems,
} from '@probe-mesh/contracts/account/password-problems'
import { problemsOf, textField, type FormState } from './form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'

/**
 * The server's texts for problems that the script finds too; only the server knows common passwords and
 * words.
 */
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

/** A field for a new password; islands/password.js shows its problems while typing. */
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
