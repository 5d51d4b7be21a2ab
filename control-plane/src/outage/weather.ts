import type { Evidence, RegionWeather, WeatherVerdict } from '@probe-mesh/contracts/answers'
import { limits } from '@probe-mesh/contracts/limits'
import type { Region } from '@probe-mesh/contracts/regions'
import { list, whenAndWhere } from './status-summary.ts'
import { median, spread } from './statistics.ts'

/** Response times of all catalog services in one region over one window. */
export type Percentiles = { p50Ms: number; p75Ms: number; p95Ms: number; samples: number }

export type MeasuredRegion = {
  region: Region
  /** The last `weatherWindowMs`; null where nothing was measured. */
  now: Percentiles | null
  /** The same hour on each of the last seven days that has any, in any order. */
  days: readonly Percentiles[]
  quarantined: boolean
}

export const { weatherWindowMs } = limits
/** With less there is no verdict. */
export const weatherSamplesMin = 30
export const weatherDaysMin = 3

const slowRatio = 1.35
const spreadsMin = 3
const clockTickMs = 0.001

/**
 * One region's weather: `slower` when both its median and its 75th percentile are at least 1.35
 * times the median of the same hour's on the last seven days, and the median also is more than
 * three spreads of those days above it (in logarithms), so that a region that varies by itself
 * needs more. The tail says nothing here: one bad service would make the weather.
 *
 * Limits, held by `simulation/`: at most one false alarm a month and region; a slowdown to 1.6
 * times is said within forty minutes in 95 of 100 cases.
 */
export const regionWeather = ({
  region,
  now,
  days,
  quarantined,
}: MeasuredRegion): RegionWeather => {
  const baseline = baselineOf(days)
  if (now === null || quarantined)
    return { region, ...noPercentiles, baseline, ratio: null, verdict: 'no_data' }
  if (baseline === null || now.samples < weatherSamplesMin) {
    return { region, ...now, baseline, ratio: null, verdict: 'no_data' }
  }
  const ratio = now.p50Ms / baseline.p50Ms
  const scatter = spread(days.filter(isWhole).map((day) => Math.log(day.p50Ms)))
  const isSlower =
    ratio >= slowRatio &&
    now.p75Ms >= slowRatio * baseline.p75Ms &&
    Math.log(ratio) > spreadsMin * scatter
  return { region, ...now, baseline, ratio: round(ratio), verdict: isSlower ? 'slower' : 'normal' }
}

const noPercentiles = { p50Ms: null, p75Ms: null, p95Ms: null, samples: 0 }

/** Nothing is answered within a tick of the agents' clocks, of which no ratio could be told. */
const isWhole = (day: Percentiles): boolean =>
  day.samples >= weatherSamplesMin && day.p50Ms >= clockTickMs

/** The median day; null of too few days. A day with too few readings is none. */
const baselineOf = (days: readonly Percentiles[]): RegionWeather['baseline'] => {
  const whole = days.filter(isWhole)
  if (whole.length < weatherDaysMin) return null
  return {
    p50Ms: median(whole.map((day) => day.p50Ms)),
    p75Ms: median(whole.map((day) => day.p75Ms)),
    p95Ms: median(whole.map((day) => day.p95Ms)),
    samples: whole.reduce((sum, day) => sum + day.samples, 0),
    days: whole.length,
  }
}

/** `slower` when more than half of the regions with data are; `no_data` when none has any. */
export const overallWeather = (
  regions: readonly Pick<RegionWeather, 'verdict'>[],
): WeatherVerdict => {
  const known = regions.filter(({ verdict }) => verdict !== 'no_data')
  if (known.length === 0) return 'no_data'
  const slower = known.filter(({ verdict }) => verdict === 'slower')
  return slower.length > known.length / 2 ? 'slower' : 'normal'
}

/** The weather in one sentence. */
export const weatherSummary = (
  regions: readonly RegionWeather[],
  evidence: Pick<Evidence, 'measuredAt' | 'vantage'>,
): string => {
  const known = regions.filter(({ verdict }) => verdict !== 'no_data')
  if (known.length === 0) {
    return 'We have too few measurements to say whether the internet is slower than usual.'
  }
  const slower = known.filter(({ verdict }) => verdict === 'slower')
  const silent = regions.length - known.length
  const where = whenAndWhere(evidence)
  const rest = silent === 0 ? '' : `; ${silent} more gave too little data`
  const ofAll = `of ${known.length} ${known.length === 1 ? 'region' : 'regions'}`
  if (slower.length === 0) {
    return `Response times are normal for this hour in ${known.length} ${ofAll}${rest}${where}.`
  }
  const details = list(slower.map(({ region, ratio }) => `${region} ${ratio}x`))
  return `Response times are slower than usual for this hour in ${slower.length} ${ofAll} (${details})${rest}${where}.`
}

const round = (ratio: number): number => Math.round(ratio * 100) / 100
