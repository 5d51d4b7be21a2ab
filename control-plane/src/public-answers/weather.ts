import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { RegionWeather, WeatherVerdict } from '@probe-mesh/contracts/outage/internet'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { withVantage, list, whenMeasured } from './sentence.ts'
import { usualDaysMin, type ResponseRatio } from './response-ratios.ts'
import { median, spread } from './statistics.ts'

/** Response times of all catalog services in one region over one window. */
export type Percentiles = { p50Ms: number; p75Ms: number; p95Ms: number; samples: number }

export type MeasuredRegion = {
  region: Region
  /** The last `weatherWindowMs`; null without measurements. */
  now: Percentiles | null
  /** The same hour on the last seven days, in any order, without days that have no data. */
  days: readonly Percentiles[]
  /**
   * The response times of its services relative to their usual times, now and on those days; null if unknown.
   */
  responseRatio: ResponseRatio | null
  dayRatios: readonly ResponseRatio[]
  quarantined: boolean
}

export const { weatherWindowMs } = limits
/** The fewest samples for a verdict. */
const weatherSamplesMin = 30
/** The fewest measured services with a usual time, for a verdict. */
const weatherServicesMin = 3

const slowRatio = 1.38
const spreadsMin = 3

/**
 * The weather of one region. It is `slower` if the median service takes at least 1.38 times its own usual
 * time at this hour on the last seven days, and if that is more than three spreads of those days above normal
 * (in logarithms), so that a region with large variation needs a larger slowdown. Each service is compared
 * with itself, so failures of nearby services do not make the region look slower.
 *
 * Limits, tested by `simulation/`: at most one false alarm a month per region; a slowdown to 1.6 times is
 * detected within 40 minutes in 95 % of cases.
 */
export const regionWeather = ({
  region,
  now,
  days,
  responseRatio,
  dayRatios,
  quarantined,
}: MeasuredRegion): RegionWeather => {
  const baseline = baselineOf(days)
  if (now === null || quarantined)
    return { region, ...noPercentiles, baseline, ratio: null, verdict: 'no_data' }
  const usual = dayRatios.filter(hasEnoughServices)
  if (
    baseline === null ||
    now.samples < weatherSamplesMin ||
    responseRatio === null ||
    !hasEnoughServices(responseRatio) ||
    usual.length < usualDaysMin
  ) {
    return { region, ...now, baseline, ratio: null, verdict: 'no_data' }
  }
  const { ratio } = responseRatio
  const usualSpread = spread(usual.map((day) => Math.log(day.ratio)))
  const isSlower = ratio >= slowRatio && Math.log(ratio) > spreadsMin * usualSpread
  return { region, ...now, baseline, ratio: round(ratio), verdict: isSlower ? 'slower' : 'normal' }
}

const noPercentiles = { p50Ms: null, p75Ms: null, p95Ms: null, samples: 0 }

const hasEnoughSamples = (day: Percentiles): boolean => day.samples >= weatherSamplesMin
const hasEnoughServices = ({ services, ratio }: ResponseRatio): boolean =>
  services >= weatherServicesMin && ratio > 0

/** The median of the days with enough samples; null if there are too few such days. */
const baselineOf = (days: readonly Percentiles[]): RegionWeather['baseline'] => {
  const whole = days.filter(hasEnoughSamples)
  if (whole.length < usualDaysMin) return null
  return {
    p50Ms: median(whole.map((day) => day.p50Ms)),
    p75Ms: median(whole.map((day) => day.p75Ms)),
    p95Ms: median(whole.map((day) => day.p95Ms)),
    samples: whole.reduce((sum, day) => sum + day.samples, 0),
    days: whole.length,
  }
}

/** `slower` if more than half of the regions with data are slower; `no_data` if no region has data. */
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
