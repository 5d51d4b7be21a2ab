import type {
  PlateLevel,
  ServiceStatus,
  WeatherVerdict,
} from '@probe-mesh/contracts/outage/answers'
import type { Asker } from './asker.ts'
import type { Behaviour } from './behaviour.ts'
import { fleetRegions } from './fleet.ts'
import type { Fleet, FleetRegion } from './fleet.ts'
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

/** What every tool must say of one service. */
export type ServiceExpected = {
  status: Exclude<ServiceStatus, 'not_covered'>
  seen: SeenBy
  /** What was measured everywhere decides nothing. */
  undecided?: true
  /** On plates; the status where absent. */
  level?: PlateLevel
  /** What a failing or refusing region's reason must hold. */
  reason?: string
  /**
   * Newest first; none where absent. `any` where chance decides, `refused` while the store is away.
   */
  outages?: readonly OutageExpected[] | 'any' | 'refused'
  /** None where absent. */
  reports?: Partial<ReportsExpected>
}

/** What acts and scenarios may reach. */
export type Means = { fleet: Fleet; asker: Asker }

/** `unknown`: most of the catalog fails, and nothing that it shares explains it. */
export type InternetExpected =
  | 'none'
  | 'no_data'
  | 'unknown'
  | { factor: string; members: readonly string[] }

export type WeatherExpected = {
  verdict: WeatherVerdict
  regions: Readonly<Record<FleetRegion, WeatherVerdict>>
}

/** Reports of so many visitors, numbered from `from`, who name a region; null names none. */
export type ReportsMade = {
  slug: string
  region: string | null
  visitors: number
  from?: number
  times?: number
}

/** An instant of a scenario: what its targets and visitors begin to do, and what must be answered. */
export type Moment = {
  /** By host without its domain: a slug, or a slug with `-api` for the second probe. */
  set?: Readonly<Record<string, Behaviour | Partial<Record<FleetRegion, Behaviour>>>>
  report?: readonly ReportsMade[]
  services: Readonly<Record<string, ServiceExpected>>
  /** The scenario's services as a stack, where it is more than the worst of them. */
  stack?: { status: PlateLevel; summary: string }
  /** What is asked for by a name, and the slug that it leads to, or what may have been meant. */
  names?: Readonly<Record<string, string | { didYouMean: readonly string[] }>>
  /** A region that is asked for, of the scenario's first service. */
  asked?: Readonly<Record<string, ServiceExpected['status']>>
  /** Anything else, told as an error by whoever looks. */
  look?: (means: Means) => Promise<void>
}

export type Scenario = {
  /** The guarantee, as a sentence. */
  name: string
  services: readonly Listed[]
  /** By act; in an act without one everything goes on. */
  moments: Readonly<Record<string, Moment>>
}

/** A part of a play: all scenarios come to their moment of it before the next act. */
export type Act = {
  name: string
  /** What happens to the fleet as a whole, first. */
  happens?: (means: Means) => Promise<void> | void
  internet: InternetExpected
  /** Absent where it may still be that of the act before: it is refreshed now and then. */
  weather?: WeatherExpected
  /** In how many intervals all of it has to be answered as expected; 15 where absent. */
  withinIntervals?: number
}

/** Scenarios that one fleet plays at the same time, each with services of its own. */
export type Play = {
  name: string
  acts: readonly Act[]
  scenarios: readonly Scenario[]
  usual?: readonly Usual[]
  /** What is said where nobody reports: `no_data` until some weeks were counted. */
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

/** A status that follows from regions that differ; those not named are up. */
export const mixed = (
  status: ServiceExpected['status'],
  seen: Partial<SeenBy>,
  more: Partial<ServiceExpected> = {},
): ServiceExpected => ({ status, seen: { ...everywhere('up'), ...seen }, ...more })

/** An outage that was seen from these regions; all of them when none is named. */
export const ongoing = (...regions: FleetRegion[]): OutageExpected => outage(true, regions)
export const ended = (...regions: FleetRegion[]): OutageExpected => outage(false, regions)

const outage = (ongoing: boolean, regions: readonly FleetRegion[]): OutageExpected => ({
  ongoing,
  regions: (regions.length > 0 ? regions : fleetRegions).toSorted(),
})
