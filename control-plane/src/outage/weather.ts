import type { Evidence, RegionWeather, WeatherVerdict } from '@probe-mesh/contracts/outage/answers'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { withVantage, list, whenMeasured } from './sentence.ts'
import { usualDaysMin } from './paces.ts'
import type { Pace } from './paces.ts'
import { median, spread } from './statistics.ts'

/** Response times of all catalog services in one region over one window. */
export type Percentiles = { p50Ms: number; p75Ms: number; p95Ms: number; samples: number }

export type MeasuredRegion = {
  region: Region
  /** The last `weatherWindowMs`; null where nothing was measured. */
  now: Percentiles | null
  /** The same hour on each of the last seven days that has any, in any order. */
  days: readonly Percentiles[]
  /** Its services beside what is usual of each, now and on those days; null where none can be. */
  pace: Pace | null
  dayPaces: readonly Pace[]
  quarantined: boolean
}

export const { weatherWindowMs } = limits
/** With less there is no verdict. */
const weatherSamplesMin = 30
/** Services that are measured now and have a usual time of their own. */
const weatherServicesMin = 3

const slowRatio = 1.38
const spreadsMin = 3

/**
 * One region's weather: `slower` when the median service takes at least 1.38 times what is usual of
 * itself at the same hour on the last seven days, and that also is more than three spreads of those
 * days above (in logarithms), so that a region that varies by itself needs more. Each service counts
 * against itself: near ones that fail do not make the rest slower.
 *
 * Limits, held by `simulation/`: at most one false alarm a month and region; a slowdown to 1.6
 * times is said within forty minutes in 95 of 100 cases.
 */
export const regionWeather = ({
  region,
  now,
  days,
  pace,
  dayPaces,
  quarantined,
}: MeasuredRegion): RegionWeather => {
  const baseline = baselineOf(days)
  if (now === null || quarantined)
    return { region, ...noPercentiles, baseline, ratio: null, verdict: 'no_data' }
  const usual = dayPaces.filter(isBroad)
  if (
    baseline === null ||
    now.samples < weatherSamplesMin ||
    pace === null ||
    !isBroad(pace) ||
    usual.length < usualDaysMin
  ) {
    return { region, ...now, baseline, ratio: null, verdict: 'no_data' }
  }
  const { ratio } = pace
  const scatter = spread(usual.map((day) => Math.log(day.ratio)))
  const isSlower = ratio >= slowRatio && Math.log(ratio) > spreadsMin * scatter
  return { region, ...now, baseline, ratio: round(ratio), verdict: isSlower ? 'slower' : 'normal' }
}

const noPercentiles = { p50Ms: null, p75Ms: null, p95Ms: null, samples: 0 }

const isWhole = (day: Percentiles): boolean => day.samples >= weatherSamplesMin
const isBroad = ({ services, ratio }: Pace): boolean => services >= weatherServicesMin && ratio > 0

/** The median day; null of too few days. A day with too few readings is none. */
const baselineOf = (days: readonly Percentiles[]): RegionWeather['baseline'] => {
  const whole = days.filter(isWhole)
  if (whole.length < usualDaysMin) return null
  return {
    p50Ms: median(whole.map((day) => day.p50Ms)),
    p75Ms: median(whole.map((day) => day.p75Ms)),
    p95Ms: median(whole.map((day) => day.p95Ms)),
    samples: whole.reduce((sum, day) => sum + day.samples, 0),
    days: whole.length,
  }
}

/** `slower` when more than half of the regions with data are; `no_data` when none has any. */
export const overallWeather = (regions: readonly Pick<RegionWeather, 'verdict'>[]): WeatherVerdict => {
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
    return withVantage(
      evidence,
      'We have too few measurements to say whether the internet is slower than usual.',
    )
  }
  const slower = known.filter(({ verdict }) => verdict === 'slower')
  const silent = regions.length - known.length
  const isLocal = evidence.vantage === 'local'
  const when = whenMeasured(evidence)
  const rest = silent === 0 || isLocal ? '' : `; ${silent} more gave too little data`
  const ofAll = `of ${known.length} ${known.length === 1 ? 'region' : 'regions'}`
  const inRegions = (count: number): string => (isLocal ? '' : ` in ${count} ${ofAll}`)
  if (slower.length === 0) {
    const where = inRegions(known.length)
    return withVantage(evidence, `Response times are normal for this hour${where}${rest}${when}.`)
  }
  const details = list(slower.map(({ region, ratio }) => `${region} ${ratio}x`))
  const where = inRegions(slower.length)
  return withVantage(
    evidence,
    `Response times are slower than usual for this hour${where} (${details})${rest}${when}.`,
  )
}

const round = (ratio: number): number => Math.round(ratio * 100) / 100
