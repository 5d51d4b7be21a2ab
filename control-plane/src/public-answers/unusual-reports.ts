import type { ReportRegion, ReportVolume } from '@probe-mesh/contracts/outage/answers'
import { median, spread } from './statistics.ts'
import { ofOurProbes } from './sentence.ts'

/** Reports on one service from one region in one minute. */
export type ReportMinute = {
  region: ReportRegion
  /** The minute's beginning, Unix milliseconds. */
  atMs: number
  count: number
}

const minuteMs = 60_000
/** Reports are stored per quarter of an hour of the clock. */
export const quarterMs = 15 * minuteMs
const hourMs = 60 * minuteMs
const weekMs = 7 * 24 * hourMs

/** The number of weeks to compare with, and the number of counted weeks that a verdict needs. */
const weeksMax = 8
const weeksMin = 3
const quartersPerWeek = 4

/** Fewer reports in a quarter of an hour are never unusual. */
export const unusualReportsMin = 15
const spreadsMin = 10

/**
 * The quarters of an hour to compare with: the four around this instant in each of the last eight weeks,
 * newest week first. They are the clock quarters around the full quarter nearest to now, so that now is
 * within 7.5 minutes of the middle of their hour. The caller leaves out quarters in which reports were not
 * counted.
 */
export const usualQuarters = (nowMs: number): { fromMs: number; toMs: number }[] => {
  const middleMs = Math.round(nowMs / quarterMs) * quarterMs
  return Array.from({ length: weeksMax * quartersPerWeek }, (_, index) => {
    const week = Math.floor(index / quartersPerWeek) + 1
    const fromMs = middleMs - week * weekMs + ((index % quartersPerWeek) - 2) * quarterMs
    return { fromMs, toMs: fromMs + quarterMs }
  })
}

/**
 * The number of problem reports, by region, and whether it is unusual for this hour of the week: at least 15
 * in the last quarter of an hour, and ten spreads above the usual quarter. A spread is at least the square
 * root of the usual count, and at least one. The usual count is a median, so one bad week does not change it.
 * Reports do not change the status of the service (S-1309, S-1310).
 *
 * Limits, tested by `simulation/`: at most one false alarm a month for 150 services; a wave of ten times the
 * usual count, or of 30 in a quarter of an hour for a service with few reports, is detected within 20
 * minutes.
 * @param usual the counts of the counted `usualQuarters`, in any order
 */
export const reportVolume = (
  minutes: readonly ReportMinute[],
  usual: readonly number[],
  nowMs: number,
): ReportVolume => {
  const last15Minutes = countSince(minutes, nowMs - quarterMs, nowMs)
  const regions = [...new Set(minutes.map(({ region }) => region))].toSorted()
  const isKnown = usual.length >= weeksMin * quartersPerWeek
  return {
    last15Minutes,
    last60Minutes: countSince(minutes, nowMs - hourMs, nowMs),
    usual15Minutes: isKnown ? median(usual) : null,
    verdict: !isKnown ? 'no_data' : last15Minutes >= unusualFrom(usual) ? 'unusual' : 'normal',
    regions: regions
      .map((region) => {
        const own = minutes.filter((minute) => minute.region === region)
        return {
          region,
          last15Minutes: countSince(own, nowMs - quarterMs, nowMs),
          last60Minutes: countSince(own, nowMs - hourMs, nowMs),
        }
      })
      .filter((region) => region.last60Minutes > 0),
  }
}

const unusualFrom = (usual: readonly number[]): number => {
  const middle = median(usual)
  const usualSpread = Math.max(spread(usual), Math.sqrt(middle), 1)
  return Math.max(unusualReportsMin, middle + spreadsMin * usualSpread)
}

/** The reports of minutes that begin in (fromMs, toMs]. */
const countSince = (minutes: readonly ReportMinute[], fromMs: number, toMs: number): number =>
  minutes.reduce((sum, { atMs, count }) => (atMs > fromMs && atMs <= toMs ? sum + count : sum), 0)

/**
 * The reports in one sentence, always followed by the result of our own probes (S-1310).
 * @param probes the summary of the service's status
 */
export const reportSummary = (volume: ReportVolume, probes: string): string => {
  const { last15Minutes, usual15Minutes, verdict } = volume
  const people = last15Minutes === 1 ? '1 person reports' : `${last15Minutes} people report`
  const usual = usual15Minutes === null ? '' : ` (usually ${Math.round(usual15Minutes)})`
  const comparison = {
    normal: `, which is not unusual for this hour${usual}`,
    unusual: `, which is unusual for this hour${usual}`,
    no_data: ', and the usual number is not known yet',
  }[verdict]
  return `${people} problems in the last 15 minutes${comparison}; ${ofOurProbes(probes)}`
}

/** A visitor's report on a service. */
export type Report = {
  /** A catalog slug. Reports on other slugs are not counted. */
  slug: string
  /** A live region or `unknown`. Callers replace all other regions. */
  region: ReportRegion
  /** The visitor's address, kept in memory only, as a salted hash. */
  address: string
}

/** Counts of problem reports, without reporters. */
export type UserReports = {
  /**
   * Counts a report. @returns false when the same address reported the same service in the last 15
   * minutes, or when the limit of remembered addresses is reached
   */
  record(report: Report): boolean
  /** Counts of the last hour, by minute and region. */
  minutesOf(slug: string): readonly ReportMinute[]
  /** The counts of the counted `usualQuarters`; empty if none is known. */
  usualOf(slug: string): readonly number[]
}
