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

/** Seconds: to see in every run of the tests that the rules hold. */
export const shortExtent: Extent = {
  weatherDays: 40,
  reportDays: 28,
  reportServices: 40,
  incidentDays: 30,
}

/** A year and more of each rule: what the limits written at the rules are held to. */
export const wholeExtent: Extent = {
  weatherDays: 730,
  reportDays: 365,
  reportServices: 150,
  incidentDays: 1_825,
}

/** Plays every rule of the answers against simulated time, the same in every run of a seed. */
export const simulateRules = (
  services: readonly CatalogService[],
  extent: Extent,
  seed: number,
): Outcome[] => [
  simulateWeather(extent.weatherDays, seed),
  simulateReports(extent.reportDays, extent.reportServices, seed),
  simulateIncidents(services, extent.incidentDays, seed),
]
