import type { Check } from '@probe-mesh/contracts/check/check'
import type { CheckPart, CheckTrend, CheckTrends } from '@probe-mesh/contracts/check/check-list'
import { html } from '@probe-mesh/runtime/html'
import type { Html, Piece } from '@probe-mesh/runtime/html'
import { liveStatus } from '../../html/live.ts'
import { duration, exactTime, milliseconds, named, none, percent, time } from '../../html/measures.ts'
import { sparkline } from '../../html/components/sparkline.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'
import { pageLinks } from '../paging.ts'
import { filterForm, listPath, queryOf, shownText, statusLinks, summaryOf } from './check-filter.ts'
import type { CheckFilter } from './check-filter.ts'

/**
 * One part of the list: of ten thousand checks a browser is given a hundred.
 * @param trends null where the readings cannot be read now
 */
export const checkListPage = (
  part: CheckPart,
  { filter, trends }: { filter: CheckFilter; trends: CheckTrends | null },
): Html => html`
  <p class="actions"><a class="button primary" href="/dashboard/checks/new">New check</a></p>
  ${filterForm(filter)}
  <div data-live="checks">
    <p>${summaryOf(part.counts)}</p>
    ${statusLinks(filter, part)} ${shownText(part, filter)}
    ${
      part.total > 0 &&
      html`${listOf(part, trends)}
        <p class="muted">${noteOf(part, trends)}</p>`
    }
    ${pageLinks({ ...part, rows: [] }, listPath, queryOf(filter))}
  </div>
`

const listOf = ({ checks }: CheckPart, trends: CheckTrends | null): Html => {
  const byCheck = new Map(trends?.trends.map((trend) => [trend.checkId, trend]))
  const trendColumns =
    trends === null
      ? []
      : [
          {
            heading: 'Last 24 hours',
            cell: ({ id }: Check): Piece => trendOf(byCheck.get(id), Date.parse(trends.from)),
          },
        ]
  return table(
    'Checks, worst first',
    [
      {
        heading: 'Name',
        cell: ({ id, name }: Check) => html`<a href="/dashboard/checks/${id}">${named(name)}</a>`,
      },
      { heading: 'Status', cell: liveStatus },
      ...trendColumns,
      { heading: 'Type', cell: ({ type }: Check) => type },
      { heading: 'Address', cell: ({ url, target }: Check) => named(url ?? target ?? '') },
      {
        heading: 'Every',
        isNumber: true,
        cell: ({ intervalSeconds }: Check) => duration(intervalSeconds),
      },
      { heading: 'Regions', cell: ({ regions }: Check) => regions.map(regionName).join(', ') },
    ],
    checks,
  )
}

const hourMs = 3_600_000
const hours = 24

const trendOf = (trend: CheckTrend | undefined, fromMs: number): Piece => {
  if (trend === undefined) return none
  const byHour = new Map(trend.hours.map((hour) => [Date.parse(hour.at), hour]))
  const sparks = Array.from({ length: hours }, (_, index) => {
    const hour = byHour.get(fromMs + index * hourMs)
    return { value: hour?.p50Ms ?? null, isBad: (hour?.down ?? 0) > 0 }
  })
  return sparkline(sparks, trendText(trend))
}

/** `p50 120 ms, 99.9 % up, measured in 24 of the last 24 hours` */
export const trendText = ({ p50Ms, up, down, hours: { length } }: CheckTrend): string => {
  const upText = up + down === 0 ? 'neither up nor down' : `${percent(up / (up + down))} up`
  const latency = p50Ms === null ? 'no latency' : `p50 ${milliseconds(p50Ms)}`
  return `${latency}, ${upText}, measured in ${length} of the last ${hours} hours`
}

const noteOf = ({ at, vantage }: CheckPart, trends: CheckTrends | null): Html => html`
  Status as of ${time(at)}.
  ${
    trends === null
      ? 'History is delayed: the last 24 hours are shown once the store of readings answers. Statuses do not wait for it.'
      : html`The last 24 hours are the median latency by the hour since ${exactTime(trends.from)}, all regions
        together; where the line is broken, nothing was up or nothing was measured, and a mark below it is an
        hour in which a reading was down.`
  }
  ${vantage === 'local' && 'One machine stands for every region.'}
`
