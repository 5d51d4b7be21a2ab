import type { Check } from '@probe-mesh/contracts/check'
import { html } from '../../html/html.ts'
import type { Html } from '../../html/html.ts'
import { duration, named } from '../../html/measures.ts'
import { table } from '../../html/table.ts'
import { liveStatus } from '../../html/live.ts'
import { checkWords } from '../../html/tag.ts'
import { pageLinks } from '../paging.ts'
import type { Part } from '../paging.ts'

/** Worst first: what a person looks for. */
const order: Readonly<Record<Check['status'], number>> = {
  down: 0,
  degraded: 1,
  stale: 2,
  unknown: 3,
  operational: 4,
}

/** The checks whose name, address or type has the text, worst first, then by name. */
export const sortChecks = (checks: readonly Check[], text: string): Check[] => {
  const sought = text.trim().toLowerCase()
  return checks
    .filter(({ name, url, target, type }) =>
      [name, url ?? '', target ?? '', type].some((each) => each.toLowerCase().includes(sought)),
    )
    .toSorted((a, b) => order[a.status] - order[b.status] || (a.name < b.name ? -1 : 1))
}

/** One part of the list: of ten thousand checks a browser is given a hundred. */
export const checkListPage = (
  part: Part<Check>,
  { text, all }: { text: string; all: readonly Check[] },
): Html => html`
  <p>${summaryOf(all)}</p>
  <form method="get" action="/dashboard/checks" role="search">
    <p class="actions">
      <label for="q">Name, address or type</label>
      <input id="q" name="q" type="search" value="${text}" /> <button type="submit">Find</button>
    </p>
  </form>
  ${
    part.total === 0
      ? html`<p>
          ${all.length === 0 ? 'There is no check yet.' : 'No check has that in its name, address or type.'}
        </p>`
      : table(
          'Checks, worst first',
          [
            {
              heading: 'Name',
              cell: ({ id, name }) => html`<a href="/dashboard/checks/${id}">${named(name)}</a>`,
            },
            {
              heading: 'Status',
              cell: liveStatus,
            },
            { heading: 'Type', cell: ({ type }) => type },
            {
              heading: 'Address',
              cell: ({ url, target }) => html`<bdi>${url ?? target ?? ''}</bdi>`,
            },
            {
              heading: 'Every',
              isNumber: true,
              cell: ({ intervalSeconds }) => duration(intervalSeconds),
            },
            { heading: 'Regions', cell: ({ regions }) => regions.join(', ') },
          ],
          part.rows,
        )
  }
  ${pageLinks(part, '/dashboard/checks', { q: text })}
`

/** `12 checks: 1 down, 11 operational.` A paused check is not measured, and is said to be paused. */
export const summaryOf = (checks: readonly Check[]): string => {
  const words = (Object.keys(order) as Check['status'][]).flatMap((status) => {
    const count = checks.filter((check) => !check.paused && check.status === status).length
    return count === 0 ? [] : [`${count} ${checkWords[status].text}`]
  })
  const paused = checks.filter(({ paused }) => paused).length
  const all = [...words, ...(paused === 0 ? [] : [`${paused} paused`])]
  const count = `${checks.length} check${checks.length === 1 ? '' : 's'}`
  return all.length === 0 ? `${count}.` : `${count}: ${all.join(', ')}.`
}
