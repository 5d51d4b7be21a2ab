import { checkChoicesMax, type CheckName, type CheckNames } from '@probe-mesh/contracts/check/check-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Ask, Asked } from '../api/ask.ts'
import type { Choice } from '../html/components/form.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { idsIn } from './check-names.ts'

/** @param found the number of matching checks, more than the choices if the list was truncated */
export type CheckChoices = {
  checks: readonly CheckName[]
  choices: readonly Choice[]
  found: number
  all: number
}

/**
 * Checks whose name or address contains the text, by name, limited for a browser. Chosen checks stay in the
 * list, first, whatever the search is.
 * @param sought.publishableOn a status page that must be able to publish them
 */
export const askCheckChoices = async (
  ask: Ask,
  sought: { text: string; chosen: string | undefined; publishableOn?: string },
): Promise<Asked<CheckChoices>> => {
  const [id] = idsIn([sought.chosen])
  const names = await ask('listCheckNames', {
    query: {
      q: sought.text.slice(0, limits.urlCharactersMax),
      ...(id === undefined ? {} : { ids: id }),
      ...(sought.publishableOn === undefined ? {} : { publishableOn: sought.publishableOn }),
    },
  })
  return names.ok ? { ok: true, value: checkChoices(names.value) } : names
}

export const checkChoices = ({ named, found }: CheckNames): CheckChoices => {
  const checks = [...named, ...(found?.checks ?? [])]
  const { count = 0, all = 0 } = found ?? {}
  return { checks, choices: checks.map(choiceOf), found: count, all }
}

export const choiceOf = ({ id, name, url, target, type }: CheckName): Choice => ({
  value: id,
  label: `${name} (${url ?? target ?? type})`,
})

/** A search by name, if there are more checks than the list shows; placed before the form. */
export const checkSearch = (
  { choices, found, all }: CheckChoices,
  { path, text, query }: { path: string; text: string; query: Readonly<Record<string, string>> },
): Html | null => {
  if (all <= checkChoicesMax && text === '') return null
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
