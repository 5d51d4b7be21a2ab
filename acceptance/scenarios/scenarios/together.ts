import { fleetRegions } from '../fleet.ts'
import { storeReportHistory } from '../report-history.ts'
import type { Act, Play, WeatherExpected } from '../scenario.ts'
import { failures } from './failures.ts'
import { names } from './names.ts'
import { plates } from './plates.ts'
import { refusals } from './refusals.ts'
import { regional } from './regions.ts'
import { muchReported, reports } from './reports.ts'

const laterMs = 61 * 60_000
/** Long enough to refresh the weather. */
const aWhileMs = 62_000

/** Frankfurt was ten thousand times faster on the seven days before. */
const weather: WeatherExpected = {
  verdict: 'normal',
  regions: { iad: 'normal', sjc: 'normal', fra: 'slower', nrt: 'normal' },
}

const acts: readonly Act[] = [
  { name: 'before', happens: ({ fleet }) => fleet.agents.start(fleetRegions), internet: 'none' },
  { name: 'during', internet: 'none' },
  { name: 'after', internet: 'none' },
  // everything measured is stale at once, until the next slots
  { name: 'later', happens: ({ fleet }) => fleet.clock.forward(laterMs), internet: 'none' },
  {
    name: 'a while later',
    happens: ({ fleet }) => fleet.clock.forward(aWhileMs),
    internet: 'none',
    weather,
  },
]

/** Independent services, all at the same time. */
export const together: Play = {
  name: 'independent services',
  acts,
  scenarios: [...failures, ...regional, ...refusals, ...plates, ...names, ...reports],
  reportsUsual: 'normal',
  usual: [...failures, ...regional, ...refusals]
    .flatMap(({ services }) => services)
    // it has never worked
    .filter(({ slug }) => slug !== 'unproven')
    .flatMap(({ slug }) => [
      { slug, regions: ['iad', 'sjc', 'nrt'], latencyMs: 400, perHour: 10 },
      { slug, regions: ['fra'], latencyMs: 0.1, perHour: 10 },
    ]),
  prepare: (stores) => storeReportHistory(stores, muchReported),
}
