import type { Check } from '@probe-mesh/contracts/check'
import type { Choice } from '../html/form.ts'
import { html } from '../html/html.ts'
import type { Html } from '../html/html.ts'

/** Of five thousand checks a browser is given so many to choose from: the rest is found by name. */
export const choicesMax = 200

/** @param found how many checks have the text, more than the choices where the list was cut */
export type CheckChoices = { choices: readonly Choice[]; found: number; all: number }

/**
 * The checks whose name or address has the text, by name. One that was chosen already stays among
 * them whatever is sought. Pure.
 */
export const checkChoices = (
  checks: readonly Check[],
  { text, chosen }: { text: string; chosen: string | undefined },
): CheckChoices => {
  const sought = text.trim().toLowerCase()
  const found = checks
    .filter(({ name, url, target }) =>
      [name, url ?? '', target ?? ''].some((each) => each.toLowerCase().includes(sought)),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const shown = found.slice(0, choicesMax)
  const kept = checks.find(({ id }) => id === chosen)
  const missing = kept !== undefined && !shown.includes(kept) ? [kept] : []
  return {
    choices: [...missing, ...shown].map(choiceOf),
    found: found.length,
    all: checks.length,
  }
}

const choiceOf = ({ id, name, url, target, type }: Check): Choice => ({
  value: id,
  label: `${name} (${url ?? target ?? type})`,
})

/** What finds a check by its name, where there are more than a list can show; before the form itself. */
export const checkSearch = (
  { choices, found, all }: CheckChoices,
  { path, text, query }: { path: string; text: string; query: Readonly<Record<string, string>> },
): Html | null => {
  if (all <= choicesMax && text === '') return null
  return html`<form method="get" action="${path}" role="search">
    ${Object.entries(query).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    <p class="actions">
      <label for="q">Check, by name or address</label>
      <input id="q" name="q" type="search" value="${text}" /> <button type="submit">Find</button>
    </p>
    <p class="muted">
      ${
        found > choices.length
          ? `${choices.length} of ${found} checks can be chosen below: look for a part of the name to see others.`
          : `${found} of ${all} checks can be chosen below.`
      }
    </p>
  </form>`
}
