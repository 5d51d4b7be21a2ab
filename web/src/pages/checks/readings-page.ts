import type { Check, StoredReading } from '@probe-mesh/contracts/check/check'
import { emptyForm, selectField } from '../../html/components/form.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { milliseconds, named, none, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { verdictWords } from './verdict-words.ts'

/** Readings as rows, with what every one of them says of itself. */
export const readingTable = (caption: string, readings: readonly StoredReading[]): Html =>
  table(
    caption,
    [
      { heading: 'Slot', cell: ({ slot }) => time(slot) },
      { heading: 'Region', cell: ({ region }) => regionName(region) },
      { heading: 'Verdict', cell: ({ verdict }) => tag(verdictWords[verdict]) },
      { heading: 'Reason', cell: ({ reason }) => named(reason ?? none) },
      { heading: 'Status code', isNumber: true, cell: ({ httpStatus }) => httpStatus ?? none },
      { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
      { heading: 'Kind', cell: ({ kind }) => kind },
      { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
      {
        heading: 'Received',
        cell: ({ receivedAt }) => (receivedAt === null ? 'not stored yet' : time(receivedAt)),
      },
      { heading: 'Agent', cell: ({ agent }) => named(agent) },
    ],
    readings,
  )

/** A region that no longer measures the check has readings all the same. */
const withAsked = (regions: readonly string[], asked: string | null): readonly string[] =>
  asked === null || regions.includes(asked) ? regions : [...regions, asked]

/** One page of a check's readings. @param page.older where the page before it in time is */
export const readingsPage = (
  check: Pick<Check, 'id' | 'name' | 'regions'>,
  page: { readings: readonly StoredReading[]; region: string | null; older: string | null },
  isNewest: boolean,
): Html => {
  const path = `/dashboard/checks/${check.id}/readings`
  const region = page.region === null ? {} : { region: page.region }
  const address = (query: Record<string, string>): string => {
    const search = new URLSearchParams(query).toString()
    return search === '' ? path : `${path}?${search}`
  }
  return html`
    <p>
      Of <a href="/dashboard/checks/${check.id}">${named(check.name)}</a>, newest first, of every kind. A slot
      that nobody measured has no row here: the history counts it.
    </p>
    <form method="get" action="${path}">
      <div class="actions">
        ${selectField(emptyForm, {
          name: 'region',
          label: 'Region',
          fallback: page.region ?? '',
          choices: [
            { value: '', label: 'all' },
            ...withAsked(check.regions, page.region).map((value) => ({
              value,
              label: regionName(value),
            })),
          ],
        })}
        <button type="submit">Show</button>
      </div>
    </form>
    ${
      page.readings.length === 0
        ? html`<p>There is no ${isNewest ? 'reading' : 'older reading'}.</p>`
        : readingTable('Readings', page.readings)
    }
    <nav aria-label="Parts of the list">
      <p class="actions">
        ${!isNewest && html`<a href="${address(region)}">Newest</a>`}
        ${page.older !== null && html`<a href="${address({ ...region, cursor: page.older })}">Older</a>`}
      </p>
    </nav>
  `
}
