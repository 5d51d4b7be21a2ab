import type { WeatherAnswer } from '@probe-mesh/contracts/outage/answers'
import type { AnswersContext } from './context.ts'
import { namedProbes, evidenceOf, groundOf } from '../evidence.ts'
import { viewCatalog } from './plates.ts'
import { readAt } from './context.ts'
import { regionsReadMax } from '@probe-mesh/contracts/outage/answers'
import type { ReadAt, RegionView } from '../region-reading.ts'
import { overallWeather, regionWeather, weatherSummary } from '../weather.ts'
import type { MeasuredRegion } from '../weather.ts'

/** Response times of the whole catalog beside what is usual (S-1401). */
export const internetWeather = (context: AnswersContext): WeatherAnswer => {
  const how = readAt(context)
  const views = viewCatalog(context, how)
  return {
    ...describeWeather(context.observed.weather(), views, how),
    ...namedProbes([...context.catalog.probes.values()].flat()),
    url: `${context.publicUrl}/weather`,
  }
}

/**
 * The weather of all regions, by code; of more than ten those with the most samples. Its window is
 * longer than a reading is fresh: a region of which nothing is fresh any more has no weather, so
 * that silence is never `normal`.
 * @param views every region of every service
 */
export const describeWeather = (
  measured: readonly MeasuredRegion[],
  views: readonly RegionView[],
  how: ReadAt,
): Omit<WeatherAnswer, 'url' | 'probes' | 'probeCount'> => {
  const fresh = new Set(views.filter((view) => view.fresh).map(({ region }) => region))
  const regions = measured
    .map((one) => regionWeather(fresh.has(one.region) ? one : { ...one, now: null }))
    .toSorted((a, b) => b.samples - a.samples || (a.region < b.region ? -1 : 1))
    .slice(0, regionsReadMax)
    .toSorted((a, b) => (a.region < b.region ? -1 : 1))
  const read = new Set(regions.filter(({ p50Ms }) => p50Ms !== null).map(({ region }) => region))
  const stoodOn = views.filter((view) => (read.size > 0 ? read.has(view.region) : !view.fresh))
  const evidence = evidenceOf(groundOf(stoodOn), how)
  return {
    verdict: overallWeather(regions),
    regions,
    ...evidence,
    summary: weatherSummary(regions, evidence),
  }
}
