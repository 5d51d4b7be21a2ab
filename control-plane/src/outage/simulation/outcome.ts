import { percentile } from '../statistics.ts'
import type { Said } from './reliability.ts'

/** What a simulation showed of a rule, beside the limits written at the rule. */
export type Outcome = {
  rule: string
  simulatedDays: number
  falseAlarms: number
  /** Per month of 30 days, in the unit that `per` names. */
  falseAlarmsPerMonth: number
  falseAlarmsPerMonthMax: number
  per: string
  /** What was made to happen, and how much of it was found. */
  events: number
  found: number
  delayMinutes: { p50: number; p95: number }
  delayMinutesMax: number
  /** What was said with a confidence, and whether it was so. */
  said?: readonly Said[]
}

export const isWithinLimits = (outcome: Outcome): boolean =>
  outcome.falseAlarmsPerMonth <= outcome.falseAlarmsPerMonthMax &&
  outcome.delayMinutes.p95 <= outcome.delayMinutesMax

/** Of so many events; one that was not found was found never. */
export const delaysOf = (minutes: readonly number[], events: number): Outcome['delayMinutes'] => {
  const missed = Array.from({ length: events - minutes.length }, () => Infinity)
  const ascending = Float64Array.from([...minutes, ...missed]).toSorted()
  return { p50: percentile(ascending, 0.5), p95: percentile(ascending, 0.95) }
}

const headings = ['rule', 'days', 'false alarms a month', 'limit', 'found', 'delay p50', 'p95', 'limit']

/** A table for people; delays in minutes. */
export const tableOf = (outcomes: readonly Outcome[]): string => {
  const rows = [headings, ...outcomes.map(rowOf)]
  const widths = headings.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

const rowOf = (outcome: Outcome): string[] => [
  outcome.rule,
  outcome.simulatedDays.toFixed(0),
  `${outcome.falseAlarmsPerMonth.toFixed(3)} ${outcome.per}`,
  String(outcome.falseAlarmsPerMonthMax),
  `${outcome.found} of ${outcome.events}`,
  outcome.delayMinutes.p50.toFixed(1),
  outcome.delayMinutes.p95.toFixed(1),
  String(outcome.delayMinutesMax),
]
