import type { Check } from '@probe-mesh/contracts/check'
import type { Choice } from '../html/form.ts'
import { html } from '../html/html.ts'
import type { Html } from '../html/html.ts'

/** Of five thousand checks a browser is given so many to choose from: the rest is found by name. */
export const choicesMax = 200

export type Choosable = Pick<Check, 'id' | 'name' | 'type' | 'url' | 'target'>

/** @param found how many checks have the text, more than the choices where the list was cut */
export type CheckChoices = { choices: readonly Choice[]; found: number; all: number }

/**
 * The checks whose name or address has the text, by name. One that was chosen already stays among
 * them whatever is sought. Pure.
 */
export const checkChoices = (
  checks: readonly Choosable[],
  { text, chosen }: { text: string; chosen: string | undefined },
): CheckChoices => {
  const found = checksWith(byName(checks), text)
  const shown = found.slice(0, choicesMax)
  const kept = checks.find(({ id }) => id === chosen)
  const missing = kept !== undefined && !shown.includes(kept) ? [kept] : []
  return {
    choices: [...missing, ...shown].map(choiceOf),
    found: found.length,
    all: checks.length,
  }
}

export const byName = (checks: readonly Choosable[]): Choosable[] =>
  checks.toSorted((a, b) => (a.name < b.name ? -1 : 1))

/** Those whose name or address has the text, in any case. Pure. */
export const checksWith = (checks: readonly Choosable[], text: string): Choosable[] => {
  const sought = text.trim().toLowerCase()
  return checks.filter(({ name, url, target }) =>
    [name, url ?? '', target ?? ''].some((each) => each.toLowerCase().includes(sought)),
  )
}

export const choiceOf = ({ id, name, url, target, type }: Choosable): Choice => ({
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
