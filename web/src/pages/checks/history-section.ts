import type { CheckDetail, Series, SeriesPoint } from '@probe-mesh/contracts/check/check'
import type { ErrorMarks } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { Incident } from '@probe-mesh/contracts/incident/incident'
import type { MaintenanceWindow } from '@probe-mesh/contracts/maintenance/maintenance'
import type { Asked } from '../../api/ask.ts'
import { availabilityStrip } from '../../charts/availability-strip.ts'
import type { Band } from '../../charts/band.ts'
import type { Moment } from '../../charts/moment.ts'
import { latencyChart } from '../../charts/latency-chart.ts'
import { issueMarksTable, markOf, releaseTable } from '../../html/error-marks.ts'
import { emptyForm, selectField } from '../../html/components/form.ts'
import { historyDelayed } from '../../html/history-delayed.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { duration, exactTime, milliseconds, named, percent, time } from '../../html/measures.ts'
import { regionName } from '../../html/region-name.ts'
import { table } from '../../html/components/table.ts'
import { rangeNames } from './history-range.ts'
import type { HistoryChoice } from './history-range.ts'

/** What a check's history is shown of; each part may have been refused by itself. */
export type History = {
  choice: HistoryChoice
  series: Asked<Series>
  /** Of the whole account, newest first. */
  incidents: Asked<{ incidents: readonly Incident[] }>
  /** Windows that cover the check, the one that ends last first. */
  maintenance: Asked<{ maintenanceWindows: readonly MaintenanceWindow[] }>
  /** Releases of the time, and what began of errors while the check was not operational. */
  errors: Asked<ErrorMarks>
}

/** Latency and availability over time, each with every point as a table. */
export const historySection = (
  check: Pick<CheckDetail, 'id' | 'regions' | 'vantage'>,
  { choice, series, incidents, maintenance, errors }: History,
): Html => html`
  <h2 id="history">History</h2>
  ${choiceForm(check, choice)}
  ${
    series.ok
      ? drawn(check, series.value, {
          incidents: incidentsOf(check.id, series.value, incidents),
          windows: windowsOf(series.value, maintenance),
          errors: errors.ok ? errors.value : null,
        })
      : html`<p class="problems">${historyDelayed(series.problem)}</p>`
  }
  ${!incidents.ok && html`<p>Incidents are not marked: ${incidents.problem.message}</p>`}
  ${!errors.ok && html`<p>Releases and errors are not marked: ${errors.problem.message}</p>`}
  ${!maintenance.ok && html`<p>Maintenance is not marked: ${maintenance.problem.message}</p>`}
`

const choiceForm = (
  { id, regions }: Pick<CheckDetail, 'id' | 'regions'>,
  { range, region }: HistoryChoice,
): Html => html`
  <form method="get" action="/dashboard/checks/${id}#history">
    <div class="actions">
      ${selectField(emptyForm, {
        name: 'range',
        label: 'Time',
        fallback: range,
        choices: Object.entries(rangeNames).map(([value, label]) => ({ value, label })),
      })}
      ${selectField(emptyForm, {
        name: 'region',
        label: 'Region',
        fallback: region ?? '',
        choices: [
          { value: '', label: 'all' },
          ...withAsked(regions, region).map((value) => ({
            value,
            label: regionName(value),
          })),
        ],
      })}
      <button type="submit">Show</button>
    </div>
  </form>
`

/** A region that the check is no longer measured from has a history all the same. */
export const withAsked = (regions: readonly string[], asked: string | null): readonly string[] =>
  asked === null || regions.includes(asked) ? regions : [...regions, asked]

/** The incidents of the check that lie in the series' time, seen in its region where it has one. */
const incidentsOf = (checkId: string, series: Series, incidents: History['incidents']): readonly Incident[] =>
  incidents.ok
    ? incidents.value.incidents.filter(
        (incident) =>
          isAbout(incident, checkId) &&
          incident.startedAt < series.to &&
          (incident.resolvedAt === null || incident.resolvedAt > series.from) &&
          (series.region === null || incident.region === null || incident.region === series.region),
      )
    : []

const isAbout = (incident: Incident, id: string): boolean =>
  incident.checkId === id || (incident.members ?? []).some(({ checkId }) => checkId === id)

/** The windows that lie in the series' time, as far as they are over or under way. */
const windowsOf = (series: Series, maintenance: History['maintenance']): readonly MaintenanceWindow[] =>
  maintenance.ok
    ? maintenance.value.maintenanceWindows.filter(
        ({ startsAt, endsAt }) => startsAt < series.to && endsAt > series.from,
      )
    : []

/** What was known to be going on while the series was measured. */
type Known = {
  incidents: readonly Incident[]
  windows: readonly MaintenanceWindow[]
  errors: ErrorMarks | null
}

const momentsOf = ({ errors }: Known): Moment[] =>
  (errors?.releases ?? []).map(({ firstSeen }, index) => ({
    atMs: Date.parse(firstSeen),
    word: markOf(index),
  }))

const bandsOf = ({ incidents, windows }: Known): Band[] => [
  ...windows.map(({ startsAt, endsAt }): Band => ({
    kind: 'maintenance',
    fromMs: Date.parse(startsAt),
    toMs: Date.parse(endsAt),
  })),
  ...incidents.map(({ startedAt, resolvedAt }): Band => ({
    kind: 'incident',
    fromMs: Date.parse(startedAt),
    toMs: resolvedAt === null ? null : Date.parse(resolvedAt),
  })),
]

const drawn = ({ vantage }: Pick<CheckDetail, 'vantage'>, series: Series, known: Known): Html => {
  const from = series.region === null ? 'all regions' : regionName(series.region)
  const bands = bandsOf(known)
  return html`
    <p>
      From ${exactTime(series.from)} to ${exactTime(series.to)}, ${from}, in steps of
      ${duration(series.stepSeconds)}. ${ledgerOf(series.points)}
      ${vantage === 'local' && 'One machine stands for every region.'}
    </p>
    <h3>Latency</h3>
    <p class="muted">Of readings that were up. A step without one is a gap: nothing is drawn over silence.</p>
    ${
      latencyChart(series, { title: `Latency, ${from}`, bands, moments: momentsOf(known) }) ??
      html`<p>No latency was measured in this time.</p>`
    }
    <h3>Availability</h3>
    ${availabilityStrip(series, { title: `Availability, ${from}`, bands })}
    ${
      known.incidents.length > 0 &&
      table(
        'Incidents in this time',
        [
          { heading: 'Title', cell: ({ title }) => named(title) },
          { heading: 'Status', cell: ({ status }) => status },
          { heading: 'Region', cell: ({ region }) => region ?? 'none' },
          { heading: 'Started', cell: ({ startedAt }) => time(startedAt) },
          { heading: 'Resolved', cell: ({ resolvedAt }) => time(resolvedAt) },
        ],
        known.incidents,
      )
    }
    ${
      known.windows.length > 0 &&
      table(
        'Maintenance in this time',
        [
          {
            heading: 'Title',
            cell: ({ id, title }) => html`<a href="/dashboard/maintenance/${id}">${named(title)}</a>`,
          },
          { heading: 'State', cell: ({ state }) => state },
          { heading: 'Begins', cell: ({ startsAt }) => exactTime(startsAt) },
          { heading: 'Ends', cell: ({ endsAt }) => exactTime(endsAt) },
        ],
        known.windows,
      )
    }
    ${known.errors !== null && releaseTable(known.errors)}
    ${
      known.errors !== null &&
      html`<h3>Errors while it was not operational</h3>
        ${errorsText(known.errors)}`
    }
    <details>
      <summary>Every point as a table</summary>
      ${pointTable(series)}
    </details>
  `
}

const errorsText = (errors: ErrorMarks): Html =>
  errors.spans.length === 0
    ? html`<p>The check is not known to have been down or degraded in this time.</p>`
    : html`<p class="muted">
          What began of error issues in the minutes in which the check was down or degraded, and five minutes
          before and after. That both happened at once does not say that one is the cause.
        </p>
        ${issueMarksTable(errors, 'Error issues that began then, newest first')}`

/** `120 readings were due; 110 were measured, 10 were not.` */
export const ledgerOf = (points: readonly SeriesPoint[]): string => {
  const sum = (of: (point: SeriesPoint) => number): number =>
    points.reduce((total, point) => total + of(point), 0)
  const measured = sum((point) => point.measured)
  const lost = sum((point) => point.lost)
  return `Readings due: ${sum((point) => point.due)}; measured: ${measured}; due and not measured: ${lost}.`
}

const pointTable = ({ points }: Series): Html =>
  table(
    'Each step: when it begins, its latency, its readings',
    [
      { heading: 'From', cell: ({ at }) => exactTime(at) },
      { heading: 'p50', isNumber: true, cell: ({ p50Ms }) => milliseconds(p50Ms) },
      { heading: 'p95', isNumber: true, cell: ({ p95Ms }) => milliseconds(p95Ms) },
      { heading: 'p99', isNumber: true, cell: ({ p99Ms }) => milliseconds(p99Ms) },
      { heading: 'Up of measured', isNumber: true, cell: (point) => percent(point.availability) },
      { heading: 'Up', isNumber: true, cell: ({ up }) => up },
      { heading: 'Down', isNumber: true, cell: ({ down }) => down },
      { heading: 'Blocked', isNumber: true, cell: ({ blocked }) => blocked },
      { heading: 'Unmeasured', isNumber: true, cell: ({ unmeasured }) => unmeasured },
      { heading: 'Due', isNumber: true, cell: ({ due }) => due },
      { heading: 'Measured', isNumber: true, cell: ({ measured }) => measured },
      { heading: 'Due and not measured', isNumber: true, cell: ({ lost }) => lost },
    ],
    points,
  )
