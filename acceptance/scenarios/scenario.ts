import type { PlateLevel, ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import type { WeatherVerdict } from '@probe-mesh/contracts/outage/internet'
import type { AnswerClient } from './answer-client.ts'
import type { Behaviour } from './behaviour.ts'
import { fleetRegions, type Fleet, type FleetRegion } from './fleet.ts'
import type { Usual } from './history.ts'
import type { Listed } from './services.ts'

/** How an answer shows a region. */
export type Seen = 'up' | 'down' | 'blocked' | 'stale' | 'unknown'
export type SeenBy = Record<FleetRegion, Seen>

export type OutageExpected = { regions: readonly FleetRegion[]; ongoing: boolean }

export type ReportsExpected = {
  last15Minutes: number
  last60Minutes: number
  verdict: 'normal' | 'unusual' | 'no_data'
  regions: Readonly<Record<string, number>>
}

/** The expected answers of every tool about one service. */
export type ServiceExpected = {
  status: Exclude<ServiceStatus, 'not_covered'>
  seen: SeenBy
  /** The readings of all regions decide nothing. */
  undecided?: true
  /** In stacks; defaults to the status. */
  level?: PlateLevel
  /** Text that the reason of a failing or blocking region must contain. */
  reason?: string
  /** Newest first; absent: none. `any` if chance decides, `refused` while ClickHouse is unavailable. */
  outages?: readonly OutageExpected[] | 'any' | 'refused'
  /** Absent: none. */
  reports?: Partial<ReportsExpected>
}

/** Tools of acts and scenarios. */
export type Means = { fleet: Fleet; client: AnswerClient }

/** `unknown`: most of the catalog fails without a shared cause. */
export type InternetExpected = 'none' | 'no_data' | 'unknown' | { factor: string; members: readonly string[] }

export type WeatherExpected = {
  verdict: WeatherVerdict
  regions: Readonly<Record<FleetRegion, WeatherVerdict>>
}

/** Reports of visitors numbered from `from`; a null region is omitted. */
type ReportsMade = {
  slug: string
  region: string | null
  visitors: number
  from?: number
  times?: number
}

/** A moment of a scenario: changes of targets and visitors, and the expected answers. */
export type Moment = {
  /** By host without its domain: a slug, or a slug with `-api` for the second probe. */
  set?: Readonly<Record<string, Behaviour | Partial<Record<FleetRegion, Behaviour>>>>
  report?: readonly ReportsMade[]
  services: Readonly<Record<string, ServiceExpected>>
  /** The expected stack of the services, if it differs from the worst service. */
  stack?: { status: PlateLevel; summary: string }
  /** Queried names, with their slug or suggestions. */
  names?: Readonly<Record<string, string | { didYouMean: readonly string[] }>>
  /** Queried regions of the scenario's first service. */
  queried?: Readonly<Record<string, ServiceExpected['status']>>
  /** Other expectations; throws if one does not hold. */
  verify?: (means: Means) => Promise<void>
}

export type Scenario = {
  /** The guarantee, as a sentence. */
  name: string
  services: readonly Listed[]
  /** By act; an act without a moment changes nothing. */
  moments: Readonly<Record<string, Moment>>
}

/** A part of a play. All scenarios finish their moment before the next act. */
export type Act = {
  name: string
  /** Runs first, on the whole fleet. */
  happens?: (means: Means) => Promise<void> | void
  internet: InternetExpected
  /** Absent if the cached weather of the previous act is allowed. */
  weather?: WeatherExpected
  /** Intervals until all answers must be as expected; default 15. */
  withinIntervals?: number
}

/** Scenarios that run on one fleet at the same time, each with its own services. */
export type Play = {
  name: string
  acts: readonly Act[]
  scenarios: readonly Scenario[]
  usual?: readonly Usual[]
  /** The verdict without reports: `no_data` until several weeks are counted. */
  reportsUsual: 'normal' | 'no_data'
  prepare?: (stores: { databaseUrl: string; nowMs: number }) => Promise<void>
}

/** The same from every region. */
export const everywhere = (seen: Seen): SeenBy => ({ iad: seen, sjc: seen, fra: seen, nrt: seen })

export const sameWeather = (verdict: WeatherVerdict): WeatherExpected => ({
  verdict,
  regions: { iad: verdict, sjc: verdict, fra: verdict, nrt: verdict },
})

const all =
  (status: 'up' | 'down' | 'blocked') =>
  (more: Partial<ServiceExpected> = {}) => ({
    status,
    seen: everywhere(status),
    ...more,
  })
export const up = all('up')
export const down = all('down')
export const blocked = all('blocked')

/** A status of differing regions; regions not named are up. */
export const mixed = (
  status: ServiceExpected['status'],
  seen: Partial<SeenBy>,
  more: Partial<ServiceExpected> = {},
): ServiceExpected => ({ status, seen: { ...everywhere('up'), ...seen }, ...more })

/** An outage seen from these regions; default: all regions. */
export const ongoing = (...regions: FleetRegion[]): OutageExpected => outage(true, regions)
export const ended = (...regions: FleetRegion[]): OutageExpected => outage(false, regions)

const outage = (ongoing: boolean, regions: readonly FleetRegion[]): OutageExpected => ({
  ongoing,
  regions: (regions.length > 0 ? regions : fleetRegions).toSorted(),
})
