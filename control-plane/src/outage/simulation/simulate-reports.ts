import { reportVolume, unusualReportsMin } from '../unusual-reports.ts'
import type { ReportMinute } from '../unusual-reports.ts'
import { delaysOf } from './outcome.ts'
import type { Outcome } from './outcome.ts'
import { createDrift, createRandom, seasonAt } from './random.ts'
import type { Random } from './random.ts'

const quartersPerDay = 96
const quartersPerWeek = 7 * quartersPerDay
const runInWeeks = 8
/** The number of services that the limit is written for. */
const catalog = 150
const wavesPerService = 4
const waveMinutesMax = 60

/**
 * `services` for `days`: how many people report a quarter of an hour follows day and week, varies
 * more than chance alone would, and that for hours; most services have hardly any, a few have many.
 */
export const simulateReports = (days: number, services: number, seed: number): Outcome => {
  const random = createRandom(seed)
  let alarms = 0
  let events = 0
  const delays: number[] = []
  for (let service = 0; service < services; service += 1) {
    const counts = countReports(days, random)
    alarms += countAlarms(counts)
    for (let wave = 0; wave < wavesPerService; wave += 1) {
      const delay = playWave(counts, random)
      events += 1
      if (delay !== null) delays.push(delay)
    }
  }
  return {
    rule: 'reports unusual',
    simulatedDays: days,
    falseAlarms: alarms,
    falseAlarmsPerMonth: ((alarms / days) * 30 * catalog) / services,
    falseAlarmsPerMonthMax: 1,
    per: `per ${catalog} services`,
    events,
    found: delays.length,
    delayMinutes: delaysOf(delays, events),
    delayMinutesMax: 20,
  }
}

const countReports = (days: number, random: Random): number[] => {
  const usual = 0.5 * Math.exp(1.5 * random.normal())
  const hours = createDrift(random, 0.3, 0.95)
  const quarters = runInWeeks * quartersPerWeek + days * quartersPerDay
  return Array.from({ length: quarters }, (_, quarter) =>
    random.poisson(usual * seasonAt(quarter / 4, 0.8, 0.7) * Math.exp(hours())),
  )
}

const minuteMs = 60_000
const region = 'unknown'

/** The counts that `usualQuarters` would name at the end of this quarter, or in the minutes around. */
const usualAt = (counts: readonly number[], quarter: number): number[] => {
  const usual: number[] = []
  for (let week = 1; week <= runInWeeks; week += 1) {
    const around = quarter - week * quartersPerWeek
    for (let offset = -1; offset <= 2; offset += 1) usual.push(counts[around + offset] ?? 0)
  }
  return usual
}

const firstCounted = runInWeeks * quartersPerWeek + 1

const countAlarms = (counts: readonly number[]): number => {
  let [alarms, last] = [0, -Infinity]
  for (let quarter = firstCounted; quarter < counts.length; quarter += 1) {
    const count = counts[quarter] ?? 0
    if (count < unusualReportsMin) continue
    const atMs = (quarter + 1) * 15 * minuteMs
    const { verdict } = reportVolume([{ region, atMs, count }], usualAt(counts, quarter), atMs)
    if (verdict !== 'unusual') continue
    if (quarter - last > 4) alarms += 1
    last = quarter
  }
  return alarms
}

/**
 * A wave of ten times the usual, thirty a quarter at least, minute by minute.
 * @returns minutes until it is said
 */
const playWave = (counts: readonly number[], random: Random): number | null => {
  const span = counts.length - firstCounted - 8
  const quarter = firstCounted + Math.floor(random.uniform() * span)
  const usual = usualAt(counts, quarter)
  const mean = usual.reduce((sum, count) => sum + count, 0) / usual.length
  const perMinute = Math.max(30, 10 * mean) / 15
  const minutes: ReportMinute[] = []
  for (let minute = 1; minute <= waveMinutesMax; minute += 1) {
    const atMs = quarter * 15 * minuteMs + minute * minuteMs
    minutes.push({ region, atMs, count: random.poisson(perMinute) })
    const { verdict } = reportVolume(minutes, usualAt(counts, quarter - 1 + Math.round(minute / 15)), atMs)
    if (verdict === 'unusual') return minute
  }
  return null
}
