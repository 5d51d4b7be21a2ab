import type { Check, StoredReading } from '@probe-mesh/contracts/check/check'
import { emptyState } from '../../html/components/card.ts'
import { regionLabel } from '../../html/components/region-marks.ts'
import { flag, html, type Html } from '@probe-mesh/runtime/html'
import { milliseconds, named, none, time } from '../../html/measures.ts'
import { regionName } from '../../html/components/region-name.ts'
import { table } from '../../html/components/table.ts'
import { tag } from '../../html/components/tag.ts'
import { exchangeIn, exchangeView } from './exchange-view.ts'
import { verdictWords } from './verdict-words.ts'

/** Readings as rows. */
export const readingTable = (caption: string, readings: readonly StoredReading[]): Html =>
  table(
    caption,
    [
      { heading: 'Slot', cell: ({ slot }) => time(slot) },
      { heading: 'Region', cell: ({ region }) => regionLabel(region) },
      { heading: 'Verdict', cell: ({ verdict }) => tag(verdictWords[verdict]) },
      {
        heading: 'Reason',
        cell: ({ reason, details }) => html`${named(reason ?? none)} ${shownOf(details)}`,
      },
      { heading: 'Status code', isNumber: true, cell: ({ httpStatus }) => httpStatus ?? none },
      { heading: 'Latency', isNumber: true, cell: ({ latencyMs }) => milliseconds(latencyMs) },
      { heading: 'Kind', cell: ({ kind }) => kind },
      { heading: 'Measured', cell: ({ measuredAt }) => time(measuredAt) },
      {
        heading: 'Received',
        cell: ({ receivedAt }) => (receivedAt === null ? 'being stored' : time(receivedAt)),
      },
      { heading: 'Agent', cell: ({ agent }) => named(agent) },
    ],
    readings,
  )

const shownOf = (details: StoredReading['details']): Html | false => {
  const exchange = exchangeIn(details)
  return exchange !== undefined && exchangeView(exchange)
}

/** Includes a requested region that no longer measures the check, since its readings remain. */
const withAsked = (regions: readonly string[], asked: string | null): readonly string[] =>
  asked === null || regions.includes(asked) ? regions : [...regions, asked]

/** One page of a check's readings. @param page.older the cursor of the next older page */
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
    <div class="toolbar">
      <form method="get" action="${path}" data-filter>
        <select name="region" aria-label="Region">
          <option value="">All regions</option>
          ${withAsked(check.regions, page.region).map(
            (region) =>
              html`<option value="${region}" ${flag('selected', region === page.region)}>
                ${regionName(region)}
              </option>`,
          )}
        </select>
        <button type="submit">Show</button>
      </form>
    </div>
    ${
      page.readings.length === 0
        ? emptyState({
            icon: 'check',
            title: isNewest ? 'No readings yet' : 'No older readings',
            text: 'A slot that was not measured has no row here; the chart counts it as missed.',
          })
        : readingTable('Readings, newest first', page.readings)
    }
    <nav aria-label="Pages">
      <p class="actions">
        ${!isNewest && html`<a class="button" href="${address(region)}">Newest</a>`}
        ${page.older !== null && html`<a class="button" href="${address({ ...region, cursor: page.older })}">Older</a>`}
      </p>
    </nav>
  `
}
