import { inFigures } from '@probe-mesh/contracts/schema/in-figures'
import { type ErrorIssueDays, type ErrorIssueHours, type ReleaseMark } from '../contracts/error-marks.ts'
import type { Asked } from '@probe-mesh/web/src/api/ask'
import { countBars } from '@probe-mesh/web/src/charts/count-bars'
import { countChart } from '@probe-mesh/web/src/charts/count-chart'
import { card } from '@probe-mesh/web/src/html/components/card'
import { table } from '@probe-mesh/web/src/html/components/table'
import { markOf } from '@probe-mesh/web/src/html/error-marks'
import { html, type Html } from '@probe-mesh/runtime/html'
import { exactTime, time } from '@probe-mesh/web/src/html/measures'
import { counted } from './counted.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000

/** Events of one issue in each hour, oldest first. An hour without events is 0: all stored events were counted. */
const hoursOf = (counts: ErrorIssueHours, issueId: string): number[] => {
  const hours = counts.issues.find((each) => each.issueId === issueId)?.hours ?? []
  const events = new Map(hours.map(({ at, events }) => [Date.parse(at), events]))
  const fromMs = Date.parse(counts.from)
  const length = Math.round((Date.parse(counts.to) - fromMs) / hourMs)
  return Array.from({ length }, (_, hour) => events.get(fromMs + hour * hourMs) ?? 0)
}

/** `this hour`, `3 hours ago`: the same in every time zone. */
const hourName = (hoursAgo: number): string =>
  hoursAgo === 0 ? 'this hour' : `${hoursAgo} hour${hoursAgo === 1 ? '' : 's'} ago`

/** `9 events in 24 hours; most 2 hours ago: 7`. */
const hoursText = (hours: readonly number[]): string => {
  const total = hours.reduce((sum, events) => sum + events, 0)
  if (total === 0) return 'No events in 24 hours'
  const most = Math.max(...hours)
  const ago = hours.length - 1 - hours.lastIndexOf(most)
  return `${counted(total, 'event')} in 24 hours; most ${hourName(ago)}: ${inFigures(most)}`
}

export const hoursCell = (counts: ErrorIssueHours, issueId: string): Html => {
  const hours = hoursOf(counts, issueId)
  return countBars(hours, {
    text: hoursText(hours),
    nameOf: (index) => hourName(hours.length - 1 - index),
  })
}

/** The largest bar, as the scale of a row; nothing where there is none. */
export const peakText = (counts: ErrorIssueHours, issueId: string): string => {
  const most = Math.max(0, ...hoursOf(counts, issueId))
  return most === 0 ? '' : `max ${inFigures(most)}/h`
}

/** Events of an issue by day, with the releases that began in this time. */
export const daysCard = (days: Asked<ErrorIssueDays>, releases: readonly ReleaseMark[]): Html =>
  card(
    { id: 'days', title: 'Events', about: 'last 30 days' },
    days.ok
      ? daysChart(days.value, releases)
      : html`<p class="problems">Daily counts could not be read: ${days.problem.message}</p>`,
  )

const daysChart = ({ days, asOf }: ErrorIssueDays, releases: readonly ReleaseMark[]): Html => {
  const fromMs = Date.parse(days[0]?.at ?? asOf)
  const total = days.reduce((sum, { events }) => sum + events, 0)
  return html`${countChart({
      id: 'events',
      title: 'Events by day',
      name: 'Events',
      window: { fromMs, toMs: fromMs + days.length * dayMs },
      stepSeconds: dayMs / 1000,
      counts: days.map(({ events }) => events),
      moments: releases.map(({ release, firstSeen }, index) => ({
        atMs: Date.parse(firstSeen),
        word: markOf(index),
        text: `Release ${release}`,
      })),
    })}
    <details>
      <summary>Every day as a table</summary>
      ${table(
        `${counted(total, 'stored event')} in ${days.length} days, newest first`,
        [
          { heading: 'Day from', cell: ({ at }) => exactTime(at) },
          { heading: 'Events', isNumber: true, cell: ({ events }) => inFigures(events) },
        ],
        days.toReversed(),
      )}
    </details>
    <p class="muted small-print">Today included · as of ${time(asOf)}</p>`
}
