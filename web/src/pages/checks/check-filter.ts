import { CheckType } from '@probe-mesh/contracts/check/check'
import { ListedStatus } from '@probe-mesh/contracts/check/check-list'
import type { CheckPart } from '@probe-mesh/contracts/check/check-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { attribute, flag, html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { checkWords } from '../../html/components/tag.ts'

export const listPath = '/dashboard/checks'

/** Which checks of the list are asked for; null: whatever they are. */
export type CheckFilter = { text: string; status: ListedStatus | null; type: CheckType | null }

type Counts = CheckPart['counts']

/** In the order of the list, worst first. */
const statuses = ['down', 'degraded', 'stale', 'unknown', 'operational', 'paused'] as const

const wordOf = (status: ListedStatus): string => (status === 'paused' ? 'paused' : checkWords[status].text)

/** What an address asks for; a status or type that is none asks for nothing. Pure. */
export const filterIn = (query: URLSearchParams): CheckFilter => ({
  text: (query.get('q') ?? '').slice(0, limits.nameCharactersMax),
  status: ListedStatus.safeParse(query.get('status')).data ?? null,
  type: CheckType.safeParse(query.get('type')).data ?? null,
})

/** As an address has it, and as the API is asked. Pure. */
export const queryOf = ({ text, status, type }: CheckFilter) => ({
  ...(text === '' ? {} : { q: text }),
  ...(status === null ? {} : { status }),
  ...(type === null ? {} : { type }),
})

const pathOf = (filter: CheckFilter): string => {
  const query = new URLSearchParams(queryOf(filter)).toString()
  return query === '' ? listPath : `${listPath}?${query}`
}

const isFilter = (filter: CheckFilter): boolean => Object.keys(queryOf(filter)).length > 0

/** What finds by text and type, within the status that is chosen already. */
export const filterForm = ({ text, status, type }: CheckFilter): Html => html`
  <form method="get" action="${listPath}" role="search">
    ${status !== null && html`<input type="hidden" name="status" value="${status}" />`}
    <p class="actions">
      <label for="q">Name, address or type</label>
      <input id="q" name="q" type="search" value="${text}" />
      <label for="type">Type</label>
      <select id="type" name="type">
        <option value="">any</option>
        ${CheckType.options.map(
          (each) => html`<option value="${each}" ${flag('selected', each === type)}>${each}</option>`,
        )}
      </select>
      <button type="submit">Find</button>
    </p>
  </form>
`

/**
 * The statuses that checks of the account have, each with how many the text and the type leave of it:
 * as many as its link shows.
 */
export const statusLinks = (
  filter: CheckFilter,
  { counts, matching }: Pick<CheckPart, 'counts' | 'matching'>,
): Html | null => {
  if (totalOf(counts) === 0) return null
  const link = (to: ListedStatus | null, text: string): Html =>
    html`<a
      href="${pathOf({ ...filter, status: to })}"
      ${attribute('aria-current', to === filter.status ? 'true' : null)}
      >${text}</a
    > `
  const there = statuses.filter((status) => (counts[status] ?? 0) > 0 || status === filter.status)
  return html`<nav aria-label="Checks by status">
    <p class="actions">
      ${link(null, `any status (${totalOf(matching)})`)}
      ${there.map((status) => link(status, `${wordOf(status)} (${matching[status] ?? 0})`))}
    </p>
  </nav>`
}

/** How many of how many are shown. */
export const shownText = (part: CheckPart, filter: CheckFilter): Html => {
  const { checks, number, total, counts } = part
  const all = totalOf(counts)
  if (all === 0) return html`<p>There is no check yet.</p>`
  const back = isFilter(filter) && html` <a href="${listPath}">Show all checks</a>`
  if (total === 0) return html`<p>No check ${conditionOf(filter)}.${back}</p>`
  const first = (number - 1) * limits.checksPerPart + 1
  const last = first + checks.length - 1
  const range = first === last ? String(first) : `${first} to ${last}`
  const of = isFilter(filter) ? `${total} found, of ${all} checks in all` : checksText(all)
  return html`<p>Shown: ${range} of ${of}.${back}</p>`
}

const conditionOf = ({ text, status, type }: CheckFilter): string =>
  [
    status !== null && `is ${wordOf(status)}`,
    type !== null && `is of type ${type}`,
    text !== '' && 'has that in its name, address or type',
  ]
    .filter((condition) => condition !== false)
    .join(' and ')

const totalOf = (counts: Counts): number => Object.values(counts).reduce((sum, count) => sum + count, 0)

const checksText = (count: number): string => `${count} check${count === 1 ? '' : 's'}`

/** `12 checks: 1 down, 11 operational.` A paused check is not measured, and is said to be paused. */
export const summaryOf = (counts: Counts): string => {
  const parts = statuses.flatMap((status) => {
    const count = counts[status] ?? 0
    return count === 0 ? [] : [`${count} ${wordOf(status)}`]
  })
  const count = checksText(totalOf(counts))
  return parts.length === 0 ? `${count}.` : `${count}: ${parts.join(', ')}.`
}
