import { regionsReadMax } from '@probe-mesh/contracts/outage/answers'
import type { WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { readOptions, type AnswersContext } from './context.ts'
import { namedProbes, evidenceOf, basisOf } from '../evidence.ts'
import { viewCatalog } from './plates.ts'
import type { ReadOptions, RegionView } from '../region-reading.ts'
import { overallWeather, regionWeather, weatherSummary, type MeasuredRegion } from '../weather.ts'

/** Response times of the whole catalog compared with the usual ones (S-1401). */
export const internetWeather = (context: AnswersContext): WeatherAnswer => {
  const options = readOptions(context)
  const views = viewCatalog(context, options)
  return {
    ...describeWeather(context.observed.weather(), views, options),
    ...namedProbes([...context.catalog.probes.values()].flat()),
    url: `${context.publicUrl}/weather`,
  }
}

/**
 * The weather of all regions, sorted by code, limited to the ten with the most samples. The window is longer
 * than a reading stays fresh, so a region without a fresh reading has no weather: silence is never `normal`.
 * @param views all regions of all services
 */
export const describeWeather = (
  measured: readonly MeasuredRegion[],
  views: readonly RegionView[],
  options: ReadOptions,
): Omit<WeatherAnswer, 'url' | 'probes' | 'probeCount'> => {
  const fresh = new Set(views.filter((view) => view.fresh).map(({ region }) => region))
  const regions = measured
    .map((one) => regionWeather(fresh.has(one.region) ? one : { ...one, now: null }))
    .toSorted((a, b) => b.samples - a.samples || (a.region < b.region ? -1 : 1))
    .slice(0, regionsReadMax)
    .toSorted((a, b) => (a.region < b.region ? -1 : 1))
  const read = new Set(regions.filter(({ p50Ms }) => p50Ms !== null).map(({ region }) => region))
  const used = views.filter((view) => (read.size > 0 ? read.has(view.region) : !view.fresh))
  const evidence = evidenceOf(basisOf(used), options)
  return {
    verdict: overallWeather(regions),
    regions,
    ...evidence,
    summary: weatherSummary(regions, evidence),
  }
}
