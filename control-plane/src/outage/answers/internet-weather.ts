import type { WeatherAnswer } from '@probe-mesh/contracts/outage/answers'
import { describeWeather } from '../describe-weather.ts'
import type { AnswersContext } from './context.ts'
import { namedProbes } from './named-probes.ts'
import { viewCatalog } from './plates.ts'
import { readAt } from './read-at.ts'

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
