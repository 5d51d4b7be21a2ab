import { reportVolume, unusualReportsMin, type ReportMinute } from '../unusual-reports.ts'
import { delaysOf, type Outcome } from './outcome.ts'
import { createDrift, createRandom, seasonAt, type Random } from './random.ts'

const quartersPerDay = 96
const quartersPerWeek = 7 * quartersPerDay
const runInWeeks = 8
/** The number of services that the limit applies to. */
const catalogSize = 150
const wavesPerService = 4
const waveMinutesMax = 60

/**
 * Simulates reports on `services` services for `days`. The reports per quarter of an hour follow the day and
 * the week, with more than random variation that lasts for hours. Most services have few reports, some have
 * many.
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
      const delay = simulateWave(counts, random)
      events += 1
      if (delay !== null) delays.push(delay)
    }
  }
  return {
    rule: 'reports unusual',
    simulatedDays: days,
    falseAlarms: alarms,
    falseAlarmsPerMonth: ((alarms / days) * 30 * catalogSize) / services,
    falseAlarmsPerMonthMax: 1,
    per: `per ${catalogSize} services`,
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

/** The counts of `usualQuarters` around the end of this quarter. */
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
 * Simulates a wave of ten times the usual reports, at least 30 a quarter, minute by minute.
 * @returns the minutes until it is detected; null if it is not
 */
const simulateWave = (counts: readonly number[], random: Random): number | null => {
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
