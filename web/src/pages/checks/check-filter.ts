import { CheckType } from '@probe-mesh/contracts/check/check'
import { CheckSort, ListedStatus, listedStatusOrder } from '@probe-mesh/contracts/check/check-row'
import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import { Tag } from '@probe-mesh/contracts/check/tags'
import type { Member } from '@probe-mesh/contracts/account/members'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { icon } from '../../html/components/icon.ts'
import { chips } from '../../html/components/page-head.ts'
import { checkWords } from '../../html/components/tag.ts'
import { typeForms } from '../check-fields/type-forms.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'

export const listPath = '/dashboard/checks'

/** Selects checks of the list by the address; null selects all. */
export type CheckFilter = {
  text: string
  status: ListedStatus | null
  type: CheckType | null
  tag: string | null
  /** The member who owns it. */
  owner: string | null
  sort: CheckSort
}

type Counts = CheckPart['counts']

const sortNames: Readonly<Record<CheckSort, string>> = {
  status: 'Worst first',
  name: 'Name, A to Z',
  '-name': 'Name, Z to A',
  changed: 'Latest change',
  '-created': 'Newest',
  created: 'Oldest',
}

const wordOf = (status: ListedStatus): string => (status === 'paused' ? 'Paused' : checkWords[status].text)

/** An invalid value is no filter. */
export const filterIn = (query: URLSearchParams): CheckFilter => ({
  text: (query.get('q') ?? '').slice(0, limits.nameCharactersMax),
  status: ListedStatus.safeParse(query.get('status')).data ?? null,
  type: CheckType.safeParse(query.get('type')).data ?? null,
  tag: Tag.safeParse(query.get('tag')).data ?? null,
  owner: Uuid.safeParse(query.get('owner')).data ?? null,
  sort: CheckSort.safeParse(query.get('sort')).data ?? 'status',
})

/** The filter in an address, and in a request to the API. */
export const queryOf = ({ text, status, type, tag, owner, sort }: CheckFilter) => ({
  ...(text === '' ? {} : { q: text }),
  ...(status === null ? {} : { status }),
  ...(type === null ? {} : { type }),
  ...(tag === null ? {} : { tag }),
  ...(owner === null ? {} : { owner }),
  ...(sort === 'status' ? {} : { sort }),
})

export const pathOf = (filter: CheckFilter): string => {
  const query = new URLSearchParams(queryOf(filter)).toString()
  return query === '' ? listPath : `${listPath}?${query}`
}

/** Whether the filter excludes checks. */
export const isFiltered = ({ text, status, type, tag, owner }: CheckFilter): boolean =>
  text !== '' || status !== null || type !== null || tag !== null || owner !== null

/** Search, type, owner and order in one row; with scripts, a changed choice applies at once. */
export const filterForm = (filter: CheckFilter, members: readonly Member[]): Html => {
  const { text, status, type, tag, sort } = filter
  return html`<form method="get" action="${listPath}" role="search" class="one-row" data-filter>
    ${status !== null && html`<input type="hidden" name="status" value="${status}" />`}
    ${tag !== null && html`<input type="hidden" name="tag" value="${tag}" />`}
    <input
      id="q"
      name="q"
      type="search"
      value="${text}"
      aria-label="Search checks"
      placeholder="Search checks"
    />
    <select name="type" aria-label="Type">
      <option value="">All types</option>
      ${CheckType.options.map(
        (each) =>
          html`<option value="${each}" ${flag('selected', each === type)}>${typeForms[each].name}</option>`,
      )}
    </select>
    ${ownerSelect(filter, members)}
    <select name="sort" aria-label="Order">
      ${CheckSort.options.map(
        (each) =>
          html`<option value="${each}" ${flag('selected', each === sort)}>${sortNames[each]}</option>`,
      )}
    </select>
    <button type="submit">${icon('search')}Search</button>
  </form>`
}

/** The members as owners, where there is a choice. */
const ownerSelect = ({ owner }: CheckFilter, members: readonly Member[]): Html | null => {
  const isKnown = owner === null || members.some(({ id }) => id === owner)
  if (members.length < 2 && owner === null) return null
  return html`<select name="owner" aria-label="Owner">
    <option value="">All owners</option>
    ${members.map(
      ({ id, name, email }) =>
        html`<option value="${id}" ${flag('selected', id === owner)}>${name ?? email}</option>`,
    )}
    ${!isKnown && html`<option value="${owner}" selected>Unknown member</option>`}
  </select>`
}

/** The statuses of the account's checks, each with its number of checks. */
export const statusChips = (
  filter: CheckFilter,
  { counts, matching }: Pick<CheckPart, 'counts' | 'matching'>,
): Html => {
  const shown = listedStatusOrder.filter((status) => (counts[status] ?? 0) > 0 || status === filter.status)
  const entry = (status: ListedStatus | null, text: string, count: number) => ({
    path: pathOf({ ...filter, status }),
    text,
    count,
    isCurrent: status === filter.status,
  })
  return chips('Checks by status', [
    entry(null, 'All', totalOf(matching)),
    ...shown.map((status) => entry(status, wordOf(status), matching[status] ?? 0)),
  ])
}

export const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)
