import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import { publicFormats } from '@probe-mesh/contracts/status-page/words/formats'
import { wordsOf } from '@probe-mesh/contracts/status-page/words/words-of'
import type { PageText } from './page-text.ts'

/** The tone of a day in a strip: less uptime makes a lower bar, so colour is not needed. */
export type DayTone = 'good' | 'uncertain' | 'partly' | 'bad' | 'silent'

/** Consecutive days with the same text. */
export type DayRun = {
  from: string
  to: string
  days: number
  tone: DayTone
  text: string
  hasIncidents: boolean
}

/** The language in which days are described. */
export type DayText = Pick<PageText, 'words' | 'formats'>
export const englishDays: DayText = { words: wordsOf('en'), formats: publicFormats('en') }

const minorDown = 0.99
/** Shorter gaps, such as a probe restart, are not mentioned. */
const silentSecondsMin = 900

/** Unmeasured time is never drawn as good (S-718): a day with few measurements is not good. */
export const toneOf = (day: PublicDay): DayTone => {
  if (day.upShare === null) return 'silent'
  if (day.upShare < minorDown) return 'bad'
  if (day.upShare < 1) return 'uncertain'
  return day.unmeasuredSeconds > day.measuredSeconds ? 'partly' : 'good'
}

/** A day in words, such as `99.310% up, 2 hours not measured, 1 incident`. */
export const textOf = (day: PublicDay, { words, formats }: DayText = englishDays): string => {
  const own = words.page.day
  const parts = [
    day.upShare === null ? own.noData : own.up(formats.percent(day.upShare)),
    day.upShare !== null &&
      day.unmeasuredSeconds >= silentSecondsMin &&
      own.notMeasured(formats.duration(day.unmeasuredSeconds)),
    day.maintenanceSeconds > 0 && own.maintenance(formats.duration(day.maintenanceSeconds)),
    day.incidents > 0 && own.incidents(day.incidents),
  ]
  return words.headline.list(parts.filter((part) => part !== false))
}

/** All days, grouped by equal text; the last day is separate, since it is not over. */
export const runsOf = (days: readonly PublicDay[], text: DayText = englishDays): DayRun[] => {
  const runs: DayRun[] = []
  for (const [index, day] of days.entries()) {
    const [tone, isToday] = [toneOf(day), index === days.length - 1]
    const own = textOf(day, text)
    const said = isToday ? text.words.page.day.soFar(own) : own
    const last = runs.at(-1)
    if (last !== undefined && last.text === said && last.tone === tone) {
      last.to = day.date
      last.days += 1
    } else {
      const hasIncidents = day.incidents > 0
      runs.push({ from: day.date, to: day.date, days: 1, tone, text: said, hasIncidents })
    }
  }
  return runs
}

/** `2026-11-20`, or `2026-11-18 to 2026-11-20` */
export const datesOf = ({ from, to }: Pick<DayRun, 'from' | 'to'>): string =>
  from === to ? from : `${from} to ${to}`
