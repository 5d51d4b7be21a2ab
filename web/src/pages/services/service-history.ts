import type { PastOutage } from '@probe-mesh/contracts/outage/answers'
import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import type { ServiceDay, ServiceHistory, ServiceStep } from '@probe-mesh/contracts/outage/service-page'
import { card } from '../../html/components/card.ts'
import { timeChart, type Band } from '../../charts/time-chart.ts'
import { html, type Html } from '@probe-mesh/runtime/html'
import { duration, exactTime, milliseconds, percent, time } from '../../html/measures.ts'
import { table } from '../../html/components/table.ts'
import { dayStrip } from '../status/day-strip.ts'

/** Shown instead of the history. */
export const unreadable = 'The history cannot be read now. This does not show whether there were outages.'

/** The last 24 hours and the last days. @param history null: it is unavailable */
export const historySections = (history: ServiceHistory | null, outages: readonly PastOutage[]): Html =>
  html`${card(
    { id: 'last-day', title: 'Last 24 hours' },
    history === null ? html`<p>${unreadable}</p>` : lastDay(history, outages),
  )}
  ${card(
    { id: 'days', title: 'Last 90 days', about: history === null ? null : shareText(history) },
    history === null ? html`<p>${unreadable}</p>` : lastDays(history),
  )}`

const lastDay = (history: ServiceHistory, outages: readonly PastOutage[]): Html => {
  const { from, to, stepSeconds, steps } = history
  const bands = outages.map(({ startedAt, endedAt, ongoing }): Band => ({
    kind: 'outage',
    fromMs: Date.parse(startedAt),
    toMs: ongoing || endedAt === null ? null : Date.parse(endedAt),
  }))
  return html`${timeChart({
      id: 'latency',
      title: 'Response time and state over 24 hours, all regions',
      window: { fromMs: Date.parse(from), toMs: Date.parse(to) },
      stepSeconds,
      lines: [
        { key: 'p50', name: 'p50', style: 'p50', values: steps.map(({ p50Ms }) => p50Ms) },
        { key: 'p95', name: 'p95', style: 'p95', values: steps.map(({ p95Ms }) => p95Ms) },
      ],
      // the catalog has no expected probes: unmeasured steps show as no data
      steps: steps.map((step) => ({ ...step, lost: null })),
      bands,
    })}
    <p class="muted small-print">
      All regions · steps of ${duration(stepSeconds)} · read ${time(history.asOf)}
    </p>
    <details>
      <summary>Every step as a table</summary>
      ${stepTable(steps)}
    </details>`
}

const stepTable = (steps: readonly ServiceStep[]): Html =>
  table(
    'Each step: when it begins, its latency, its readings',
    [
      { heading: 'From', cell: ({ at }) => exactTime(at) },
      { heading: 'p50', isNumber: true, cell: ({ p50Ms }) => milliseconds(p50Ms) },
      { heading: 'p95', isNumber: true, cell: ({ p95Ms }) => milliseconds(p95Ms) },
      { heading: 'Up', isNumber: true, cell: ({ up }) => up },
      { heading: 'Down', isNumber: true, cell: ({ down }) => down },
      { heading: 'Blocked', isNumber: true, cell: ({ blocked }) => blocked },
      { heading: 'Unmeasured', isNumber: true, cell: ({ unmeasured }) => unmeasured },
    ],
    steps,
  )

/** `99.982 % up in 90 days` */
export const shareText = ({ upShare, days }: Pick<ServiceHistory, 'upShare' | 'days'>): string =>
  upShare === null ? `no data in ${days.length} days` : `${percent(upShare)} up in ${days.length} days`

/** A day for the strips: the catalog has no maintenance, and lists its outages. */
export const stripDay = (day: ServiceDay): PublicDay => ({
  ...day,
  maintenanceSeconds: 0,
  incidents: 0,
})

const lastDays = (history: ServiceHistory): Html => {
  const text = shareText(history)
  return html`${dayStrip(history.days.map(stripDay), { label: text, summary: html`Each day in words` })}
    <p class="days-ends"><span>${history.days.length} days ago</span><span>Today</span></p>
    <details>
      <summary>How days are counted</summary>
      <p class="muted small-print">
        A bar is a day in UTC, read ${time(history.asOf)}. Its share is of the readings that were up or down,
        in all regions. Blocked and unmeasured readings count neither way, and an hour without any is not
        measured. The lower a bar, the less was up. Half a bar is a day that was measured for less than half,
        and a line on the ground a day without data.
      </p>
    </details>`
}
