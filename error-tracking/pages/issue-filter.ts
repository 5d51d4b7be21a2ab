import type { ErrorFacets } from '../contracts/error-breakdown.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import {
  problemSummary,
  problemsOf,
  type Choice,
  type FormState,
  type Typed,
} from '@probe-mesh/web/src/html/components/form'
import { icon } from '@probe-mesh/web/src/html/components/icon'
import { attribute, flag, html, type Html } from '@probe-mesh/runtime/html'
import { choicesOf, issueWords, levelNames, windowNames } from './error-words.ts'
import { projectPath } from './project-tabs.ts'

const filterNames = ['q', 'status', 'level', 'environment', 'release', 'window'] as const

/** The filters of an address; a form also sends fields that are empty. */
export const filterOf = (typed: Typed): Readonly<Record<string, string>> =>
  Object.fromEntries(
    filterNames.flatMap((name) => {
      const value = typed[name] ?? ''
      return value === '' ? [] : [[name, value] as const]
    }),
  )

export const isFiltered = (typed: Typed): boolean => Object.keys(filterOf(typed)).length > 0

/** One row: the search and a choice for each filter, applied at once where scripts run. */
export const filterForm = (projectId: string, form: FormState, facets: ErrorFacets | null): Html => html`
  ${problemSummary(form, filterNames)}
  <div class="toolbar">
    <form method="get" action="${projectPath(projectId)}" role="search" data-filter>
      <input
        id="field-q"
        name="q"
        type="search"
        maxlength="${limits.nameCharactersMax}"
        value="${form.typed['q'] ?? ''}"
        aria-label="Search issues"
        placeholder="Search issues"
      />
      ${choice(form, 'status', 'Status', 'All statuses', wordChoices)}
      ${choice(form, 'level', 'Level', 'All levels', choicesOf(levelNames))}
      ${
        (facets?.environments ?? []).length > 0 || form.typed['environment']
          ? choice(
              form,
              'environment',
              'Environment',
              'All environments',
              namesOf(facets?.environments ?? []),
            )
          : null
      }
      ${
        (facets?.releases ?? []).length > 0 || form.typed['release']
          ? choice(form, 'release', 'Release', 'All releases', namesOf(facets?.releases ?? []))
          : null
      }
      ${choice(form, 'window', 'Last seen', 'Any time', choicesOf(windowNames))}
      <button type="submit">${icon('search')}Search</button>
    </form>
  </div>
`

const wordChoices: readonly Choice[] = Object.entries(issueWords).map(([value, { text }]) => ({
  value,
  label: text,
}))

const namesOf = (names: readonly string[]): Choice[] => names.map((name) => ({ value: name, label: name }))

/** A value of the address that is not among the choices stays chosen. */
const choice = (
  form: FormState,
  name: (typeof filterNames)[number],
  label: string,
  all: string,
  choices: readonly Choice[],
): Html => {
  const chosen = form.typed[name] ?? ''
  const own = problemsOf(form, name)
  const isKnown = chosen === '' || choices.some(({ value }) => value === chosen)
  return html`<select
    id="field-${name}"
    name="${name}"
    aria-label="${label}"
    ${attribute('aria-invalid', own.length > 0 ? 'true' : null)}
  >
    <option value="">${all}</option>
    ${!isKnown && html`<option value="${chosen}" selected>${chosen}</option>`}
    ${choices.map(
      ({ value, label }) =>
        html`<option value="${value}" ${flag('selected', value === chosen)}>${label}</option>`,
    )}
  </select>`
}
