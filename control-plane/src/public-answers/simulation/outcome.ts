import { percentile } from '../statistics.ts'
import type { Prediction } from './reliability.ts'

/** The result of simulating a rule, with the limits documented at the rule. */
export type Outcome = {
  rule: string
  simulatedDays: number
  falseAlarms: number
  /** Per month of 30 days and per the unit in `per`. */
  falseAlarmsPerMonth: number
  falseAlarmsPerMonthMax: number
  per: string
  /** The number of simulated events, and of detected ones. */
  events: number
  found: number
  delayMinutes: { p50: number; p95: number }
  delayMinutesMax: number
  /** The rule's predictions, if it states a confidence. */
  predictions?: readonly Prediction[]
}

export const isWithinLimits = (outcome: Outcome): boolean =>
  outcome.falseAlarmsPerMonth <= outcome.falseAlarmsPerMonthMax &&
  outcome.delayMinutes.p95 <= outcome.delayMinutesMax

/** Percentiles of the delays over all events. An undetected event has an infinite delay. */
export const delaysOf = (minutes: readonly number[], events: number): Outcome['delayMinutes'] => {
  const missed = Array.from({ length: events - minutes.length }, () => Infinity)
  const ascending = Float64Array.from([...minutes, ...missed]).toSorted()
  return { p50: percentile(ascending, 0.5), p95: percentile(ascending, 0.95) }
}

const headings = ['rule', 'days', 'false alarms a month', 'limit', 'found', 'delay p50', 'p95', 'limit']

/** A readable table, with delays in minutes. */
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
