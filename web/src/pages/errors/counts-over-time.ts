import type { ErrorIssueDays, ErrorIssueHours } from '@probe-mesh/contracts/error-tracking/error-marks'
import type { Asked } from '../../api/ask.ts'
import { html } from '@probe-mesh/runtime/html'
import type { Html } from '@probe-mesh/runtime/html'
import { exactTime, time } from '../../html/measures.ts'
import { sparkline } from '../../html/components/sparkline.ts'
import { table } from '../../html/components/table.ts'
import { number } from './counted.ts'

const hourMs = 3_600_000

/** `12 in 24 hours; most in the hour from 14:00 UTC: 7` */
export const hoursText = (hours: readonly { at: string; events: number }[]): string => {
  const [most] = hours.toSorted((a, b) => b.events - a.events)
  if (most === undefined) return 'none in 24 hours'
  const total = hours.reduce((sum, { events }) => sum + events, 0)
  return `${number(total)} in 24 hours; most in the hour from ${most.at.slice(11, 16)} UTC: ${number(most.events)}`
}

/** Events of one issue by the hour: an hour without any is at zero, since all that is stored was counted. */
export const hoursCell = (counts: ErrorIssueHours, issueId: string): Html => {
  const hours = counts.issues.find((each) => each.issueId === issueId)?.hours ?? []
  const events = new Map(hours.map(({ at, events }) => [Date.parse(at), events]))
  const fromMs = Date.parse(counts.from)
  const length = Math.round((Date.parse(counts.to) - fromMs) / hourMs)
  const sparks = Array.from({ length }, (_, hour) => ({
    value: events.get(fromMs + hour * hourMs) ?? 0,
    isBad: false,
  }))
  return sparkline(sparks, hoursText(hours))
}

/** What the column of hours is of; says so where it could not be read. */
export const hoursNote = (counts: Asked<ErrorIssueHours>): Html =>
  counts.ok
    ? html`<p class="muted">
        The last 24 hours are stored events by the hour in which they happened, since
        ${exactTime(counts.value.from)}, the hour under way included; as of ${time(counts.value.asOf)}.
      </p>`
    : html`<p>Counts over time could not be read: ${counts.problem.message}</p>`

/** Events of an issue by the day: each with its number, and a bar beside it. */
export const daysSection = (days: Asked<ErrorIssueDays>): Html => html`
  <h2>By the day</h2>
  ${
    days.ok ? daysTable(days.value) : html`<p>Counts over time could not be read: ${days.problem.message}</p>`
  }
`

const daysTable = ({ days, asOf }: ErrorIssueDays): Html => {
  const most = Math.max(0, ...days.map(({ events }) => events))
  const total = days.reduce((sum, { events }) => sum + events, 0)
  return html`
    <p>
      ${number(total)} events of the last ${days.length} days are stored, by the day (UTC) in which they
      happened, today included; as of ${time(asOf)}.
    </p>
    ${
      most > 0 &&
      html`${sparkline(
          days.map(({ events }) => ({ value: events, isBad: false })),
          `${number(total)} in ${days.length} days; most in one day: ${number(most)}`,
        )}
        <details>
          <summary>Every day</summary>
          ${table(
            'Stored events by the day, newest first',
            [
              { heading: 'Day', cell: ({ at }) => at.slice(0, 10) },
              { heading: 'Events', isNumber: true, cell: ({ events }) => number(events) },
              {
                heading: 'Of the most',
                cell: ({ events }) => bar(events / most),
              },
            ],
            days.toReversed(),
          )}
        </details>`
    }
  `
}

const barWidth = 120

/** The number stands beside it. @param share of the most, from 0 to 1 */
const bar = (share: number): Html =>
  html`<svg class="count-bar" aria-hidden="true" width="${barWidth}" height="12">
    <rect width="${Math.round(share * barWidth)}" height="12" />
  </svg>`
