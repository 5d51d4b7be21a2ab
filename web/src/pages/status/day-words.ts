import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import { duration, percent } from '../../html/measures.ts'

/** What a day is in a strip: its bar is the lower the less was up, so that colour only helps. */
export type DayTone = 'good' | 'uncertain' | 'partly' | 'bad' | 'silent'

/** Days that say the same, one after another. */
export type DayRun = { from: string; to: string; days: number; tone: DayTone; text: string }

const minorDown = 0.99
/** Less of a day than this is lost when a probe starts again, and says nothing of the day. */
const silentSecondsMin = 900

/** Nothing is drawn over silence (S-718): a day of which little was measured is not a good one. */
export const toneOf = (day: PublicDay): DayTone => {
  if (day.upShare === null) return 'silent'
  if (day.upShare < minorDown) return 'bad'
  if (day.upShare < 1) return 'uncertain'
  return day.unmeasuredSeconds > day.measuredSeconds ? 'partly' : 'good'
}

/** A day in words, such as `99.310 % up, 2 hours not measured, 1 incident`. */
export const textOf = (day: PublicDay): string =>
  [
    day.upShare === null ? 'no data' : `${percent(day.upShare)} up`,
    day.upShare !== null &&
      day.unmeasuredSeconds >= silentSecondsMin &&
      `${duration(day.unmeasuredSeconds)} not measured`,
    day.maintenanceSeconds > 0 && `${duration(day.maintenanceSeconds)} of maintenance not counted`,
    day.incidents > 0 && `${day.incidents} ${day.incidents === 1 ? 'incident' : 'incidents'}`,
  ]
    .filter((part) => part !== false)
    .join(', ')

/** All days, those that say the same together; the last day is by itself, since it is not over. */
export const runsOf = (days: readonly PublicDay[]): DayRun[] => {
  const runs: DayRun[] = []
  for (const [index, day] of days.entries()) {
    const [tone, isToday] = [toneOf(day), index === days.length - 1]
    const text = isToday ? `${textOf(day)} so far` : textOf(day)
    const last = runs.at(-1)
    if (last !== undefined && last.text === text && last.tone === tone) {
      last.to = day.date
      last.days += 1
    } else runs.push({ from: day.date, to: day.date, days: 1, tone, text })
  }
  return runs
}

/** `2026-11-20`, or `2026-11-18 to 2026-11-20` */
export const datesOf = ({ from, to }: Pick<DayRun, 'from' | 'to'>): string =>
  from === to ? from : `${from} to ${to}`
