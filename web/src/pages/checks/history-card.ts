import type { CheckDetail, Series, SeriesPoint } from '@probe-mesh/contracts/check/check'
import type { RegionSeries } from '@probe-mesh/contracts/check/region-series'
import type { Outages } from '@probe-mesh/contracts/overview/outage-log'
import type { ErrorMarks } from '@probe-mesh/error-tracking/contracts/error-marks'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Asked } from '../../api/ask.ts'
import { timeChart, type Band, type Moment, type TimeLine } from '../../charts/time-chart.ts'
import { card } from '../../html/components/card.ts'
import { table } from '../../html/components/table.ts'
import { regionClass } from '../../html/components/region-marks.ts'
import { regionName } from '../../html/components/region-name.ts'
import { isErrorTrackingOff, issueMarksTable, markOf, releaseTable } from '../../html/error-marks.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { attribute, html, type Html } from '@probe-mesh/runtime/html'
import { duration, exactTime, milliseconds, named, percent, time } from '../../html/measures.ts'
import { ranges, type HistoryChoice } from './history-range.ts'

/** The data of a check's history; each part may be refused separately. */
export type History = {
  choice: HistoryChoice
  series: Asked<Series>
  /** Latency by region, with the same steps. */
  regions: Asked<RegionSeries>
  /** Outages of the check, open ones first. */
  outages: Asked<Outages>
  /** Incidents of the whole account, newest first. */
  incidents: Asked<{ incidents: readonly Incident[] }>
  /** Windows that cover the check, the one that ends last first. */
  maintenance: Asked<{ maintenanceWindows: readonly MaintenanceWindow[] }>
  /** Releases in the window, and error issues that began while the check was not operational. */
  errors: Asked<ErrorMarks>
}

/** The chart around one outage, with its duration marked. */
export const outageChart = (
  check: Subject,
  { series, regions }: Pick<History, 'series' | 'regions'>,
  outage: Outages['outages'][number],
): Html =>
  series.ok
    ? chartOf(check, series.value, {
        known: { outages: [outage], incidents: [], windows: [], errors: null },
        regions,
      })
    : html`<p class="problems">${historyDelayed(series.problem)}</p>`

type Subject = Pick<CheckDetail, 'id' | 'vantage'>

/** Latency and states over time in one chart, every step in a table, and events of that time. */
export const historyCard = (check: Subject, history: History): Html => {
  const { choice, series, incidents, maintenance, errors } = history
  const known = series.ok ? knownIn(check.id, series.value, history) : null
  return html`${card(
    { id: 'history', title: 'Response time', actions: rangeLinks(check.id, choice) },
    html`<div data-live="history">
      ${
        series.ok && known !== null
          ? chartOf(check, series.value, { known, regions: history.regions })
          : html`<p class="problems">${series.ok ? null : historyDelayed(series.problem)}</p>`
      }
      ${!incidents.ok && html`<p>Incidents are not marked: ${incidents.problem.message}</p>`}
      ${!errors.ok && !isErrorTrackingOff(errors) && html`<p>Releases and errors are not marked: ${errors.problem.message}</p>`}
      ${!maintenance.ok && html`<p>Maintenance is not marked: ${maintenance.problem.message}</p>`}
    </div>`,
  )}
  ${known !== null && knownCard(known)}`
}

const rangeLinks = (id: string, choice: HistoryChoice): Html =>
  html`<nav aria-label="Time range">
    <ul class="ranges">
      ${Object.keys(ranges).map(
        (range) =>
          html`<li>
            <a
              href="/dashboard/checks/${id}?range=${range}#history"
              data-swap="history"
              ${attribute('aria-current', range === choice.range ? 'true' : null)}
              >${range}</a
            >
          </li>`,
      )}
    </ul>
  </nav>`

/** Events while the series was measured. */
type Known = {
  outages: Outages['outages']
  incidents: readonly Incident[]
  windows: readonly MaintenanceWindow[]
  errors: ErrorMarks | null
}

const knownIn = (checkId: string, { from, to }: Series, history: History): Known => ({
  outages: history.outages.ok
    ? history.outages.value.outages.filter(
        ({ startedAt, endedAt }) => startedAt < to && (endedAt === null || endedAt > from),
      )
    : [],
  incidents: history.incidents.ok
    ? history.incidents.value.incidents.filter(
        (incident) =>
          isAbout(incident, checkId) &&
          incident.startedAt < to &&
          (incident.resolvedAt === null || incident.resolvedAt > from),
      )
    : [],
  windows: history.maintenance.ok
    ? history.maintenance.value.maintenanceWindows.filter(
        ({ startsAt, endsAt }) => startsAt < to && endsAt > from,
      )
    : [],
  errors: history.errors.ok ? history.errors.value : null,
})

const isAbout = (incident: Incident, id: string): boolean =>
  incident.checkId === id || (incident.members ?? []).some(({ checkId }) => checkId === id)

const bandsOf = ({ incidents, windows, outages }: Known): Band[] => [
  ...outages.map(({ startedAt, endedAt, reason }): Band => ({
    kind: 'outage',
    text: `Outage: ${reason ?? 'no reason recorded'}`,
    fromMs: Date.parse(startedAt),
    toMs: endedAt === null ? null : Date.parse(endedAt),
  })),
  ...windows.map(({ title, startsAt, endsAt }): Band => ({
    kind: 'maintenance',
    text: `Maintenance: ${title}`,
    fromMs: Date.parse(startsAt),
    toMs: Date.parse(endsAt),
  })),
  ...incidents.map(({ title, startedAt, resolvedAt }): Band => ({
    kind: 'incident',
    text: `Incident: ${title}`,
    fromMs: Date.parse(startedAt),
    toMs: resolvedAt === null ? null : Date.parse(resolvedAt),
  })),
]

const momentsOf = ({ errors }: Known): Moment[] =>
  (errors?.releases ?? []).map(({ release, firstSeen }, index) => ({
    atMs: Date.parse(firstSeen),
    word: markOf(index),
    text: `Release ${release}`,
  }))

const chartOf = (
  { id, vantage }: Subject,
  series: Series,
  { known, regions }: { known: Known; regions: Asked<RegionSeries> },
): Html => {
  const { points, from, to, stepSeconds } = series
  return html`${timeChart({
      id: 'latency',
      title: 'Response time and state over time',
      window: { fromMs: Date.parse(from), toMs: Date.parse(to) },
      stepSeconds,
      lines: linesOf(series, regions),
      steps: points,
      bands: bandsOf(known),
      moments: momentsOf(known),
      zoomPath: `/dashboard/checks/${id}`,
    })}
    <p class="muted small-print">
      ${exactTime(from)} to ${exactTime(to)} · steps of ${duration(stepSeconds)} · ${ledgerOf(points)}
      ${vantage === 'local' && ' · all regions measured from this machine'}
    </p>
    <details>
      <summary>Every step as a table</summary>
      ${stepTable(points)}
    </details>`
}

/** The median; null without measurements. */
const medianOf = (values: readonly (number | null)[]): number | null => {
  const sorted = values.filter((value) => value !== null).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? null
}

/** The median of each region and p95 of all; p50 and p95 of all if regions could not be read. */
const linesOf = (series: Series, regions: Asked<RegionSeries>): TimeLine[] => {
  const { points } = series
  const p95 = points.map(({ p95Ms }) => p95Ms)
  if (!regions.ok || regions.value.regions.length === 0) {
    const p50 = points.map(({ p50Ms }) => p50Ms)
    return [
      { key: 'p50', name: 'p50', style: 'p50', values: p50 },
      { key: 'p95', name: 'p95', style: 'p95', values: p95 },
    ]
  }
  const { from, stepSeconds } = regions.value
  // one step of the chart is one or more steps of the regions
  const parts = Math.max(1, Math.round(series.stepSeconds / stepSeconds))
  const firstOf = (at: string): number => Math.round((Date.parse(at) - Date.parse(from)) / 1000 / stepSeconds)
  return [
    ...regions.value.regions.map(({ region, p50Ms }) => ({
      key: region,
      name: regionName(region),
      style: regionClass(region),
      values: points.map(({ at }) => medianOf(p50Ms.slice(Math.max(0, firstOf(at)), firstOf(at) + parts))),
    })),
    { key: 'p95', name: 'p95 of all', style: 'p95', values: p95 },
  ]
}

/** `120 probes expected, 110 measured, 10 missed` */
const ledgerOf = (points: readonly SeriesPoint[]): string => {
  const sum = (of: (point: SeriesPoint) => number): number =>
    points.reduce((total, point) => total + of(point), 0)
  const [due, measured, lost] = [
    sum(({ due }) => due),
    sum(({ measured }) => measured),
    sum(({ lost }) => lost),
  ]
  return `${due} probes expected, ${measured} measured, ${lost} missed`
}

const stepTable = (points: readonly SeriesPoint[]): Html =>
  table(
    'Each step with its latency and its readings',
    [
      { heading: 'From', cell: ({ at }) => exactTime(at) },
      { heading: 'p50', isNumber: true, cell: ({ p50Ms }) => milliseconds(p50Ms) },
      { heading: 'p95', isNumber: true, cell: ({ p95Ms }) => milliseconds(p95Ms) },
      { heading: 'p99', isNumber: true, cell: ({ p99Ms }) => milliseconds(p99Ms) },
      { heading: 'Up, of measured', isNumber: true, cell: (point) => percent(point.availability) },
      { heading: 'Up', isNumber: true, cell: ({ up }) => up },
      { heading: 'Down', isNumber: true, cell: ({ down }) => down },
      { heading: 'Blocked', isNumber: true, cell: ({ blocked }) => blocked },
      { heading: 'Not measured', isNumber: true, cell: ({ unmeasured }) => unmeasured },
      { heading: 'Expected', isNumber: true, cell: ({ due }) => due },
      { heading: 'Measured', isNumber: true, cell: ({ measured }) => measured },
      { heading: 'Missed', isNumber: true, cell: ({ lost }) => lost },
    ],
    points,
  )

/** Incidents, maintenance, releases and errors in the window; null without any. */
const knownCard = ({ incidents, windows, errors }: Known): Html | null => {
  const hasErrors = errors !== null && (errors.releases.length > 0 || errors.spans.length > 0)
  if (incidents.length === 0 && windows.length === 0 && !hasErrors) return null
  return card(
    { id: 'known', title: 'In this time' },
    html`${
      incidents.length > 0 &&
      table(
        'Posted incidents',
        [
          {
            heading: 'Incident',
            cell: ({ id, title }) => html`<a href="/dashboard/incidents/${id}">${named(title)}</a>`,
          },
          { heading: 'Status', cell: ({ status }) => status },
          { heading: 'Region', cell: ({ region }) => region ?? 'all' },
          { heading: 'Started', cell: ({ startedAt }) => time(startedAt) },
          { heading: 'Resolved', cell: ({ resolvedAt }) => time(resolvedAt) },
        ],
        incidents,
      )
    }
    ${
      windows.length > 0 &&
      table(
        'Maintenance',
        [
          {
            heading: 'Title',
            cell: ({ id, title }) => html`<a href="/dashboard/maintenance/${id}">${named(title)}</a>`,
          },
          { heading: 'State', cell: ({ state }) => state },
          { heading: 'Starts', cell: ({ startsAt }) => exactTime(startsAt) },
          { heading: 'Ends', cell: ({ endsAt }) => exactTime(endsAt) },
        ],
        windows,
      )
    }
    ${hasErrors && releaseTable(errors)} ${hasErrors && errorsText(errors)}`,
  )
}

const errorsText = (errors: ErrorMarks): Html | null =>
  errors.spans.length === 0
    ? null
    : html`<h3>Errors during this outage</h3>
        ${issueMarksTable(errors, 'Error issues that began then, newest first')}
        <p class="muted small-print">
          From five minutes before the check was down or degraded until five minutes after. Two things at one
          time need not have one cause.
        </p>`
