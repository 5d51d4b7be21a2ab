import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { simulateIncidents } from './simulate-incidents.ts'
import { simulateReports } from './simulate-reports.ts'
import { simulateWeather } from './simulate-weather.ts'
import type { Outcome } from './outcome.ts'

type Extent = {
  weatherDays: number
  reportDays: number
  reportServices: number
  incidentDays: number
}

/** Takes seconds, for every test run. */
export const shortExtent: Extent = {
  weatherDays: 40,
  reportDays: 28,
  reportServices: 40,
  incidentDays: 30,
}

/** At least a year for each rule, to prove the documented limits. */
export const wholeExtent: Extent = {
  weatherDays: 730,
  reportDays: 365,
  reportServices: 150,
  incidentDays: 1_825,
}

/** Simulates every statistical rule of the answers. The result depends only on the seed. */
export const simulateRules = (
  services: readonly CatalogService[],
  extent: Extent,
  seed: number,
): Outcome[] => [
  simulateWeather(extent.weatherDays, seed),
  simulateReports(extent.reportDays, extent.reportServices, seed),
  simulateIncidents(services, extent.incidentDays, seed),
]
