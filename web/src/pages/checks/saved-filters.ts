import { filterNameCharactersMax, type SavedFilter } from '@probe-mesh/contracts/check/saved-filter'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { problemSummary, textField, type FormState } from '../../html/components/form.ts'
import { icon } from '../../html/components/icon.ts'
import { chips } from '../../html/components/page-head.ts'
import { named } from '../../html/measures.ts'
import { filterIn, listPath, pathOf, queryOf, type CheckFilter } from './check-filter.ts'

export const filtersPath = `${listPath}/filters`

/** Values of a newer version are no filter. */
const pathOfSaved = ({ query }: SavedFilter): string => pathOf(filterIn(new URLSearchParams(query)))

/** The saved filters of the account, each a link; the shown one can be deleted, another one be saved. */
export const savedFilters = (
  saved: readonly SavedFilter[],
  filter: CheckFilter,
  form: FormState,
): Html | null => {
  const here = pathOf(filter)
  const current = saved.find((each) => pathOfSaved(each) === here)
  if (saved.length === 0 && here === listPath) return null
  const links = saved.map((each) => ({
    path: pathOfSaved(each),
    text: named(each.name),
    isCurrent: each.id === current?.id,
  }))
  return html`${
    saved.length > 0 &&
    html`<div class="toolbar">
      ${chips('Saved filters', links)} ${current !== undefined && deleteForm(current)}
    </div>`
  }
  ${current === undefined && here !== listPath && saveForm(filter, form)}`
}

const saveForm = (filter: CheckFilter, form: FormState): Html => {
  const isRefused = form.message !== null || form.problems.length > 0
  return html`<details ${flag('open', isRefused)}>
    <summary>Save this filter</summary>
    ${problemSummary(form, ['name'])}
    <form method="post" action="${filtersPath}" class="fields">
      ${Object.entries(queryOf(filter)).map(
        ([name, value]) => html`<input type="hidden" name="query.${name}" value="${value}" />`,
      )}
      ${textField(form, {
        name: 'name',
        label: 'Name',
        hint: `Up to ${filterNameCharactersMax} characters. All members see it.`,
        isRequired: true,
      })}
      <button type="submit">Save filter</button>
    </form>
  </details>`
}

const deleteForm = ({ id, name }: SavedFilter): Html =>
  html`<form method="post" action="${filtersPath}/${id}/delete">
    <button type="submit" aria-label="Delete the saved filter ${name}">
      ${icon('delete')}Delete saved filter
    </button>
  </form>`

/** The filter in the fields of the form that saves it. */
export const filterInForm = (form: URLSearchParams): CheckFilter => {
  const query = new URLSearchParams()
  for (const [name, value] of form) if (name.startsWith('query.')) query.append(name.slice(6), value)
  return filterIn(query)
}
