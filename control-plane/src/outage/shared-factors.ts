import type { FactorKind } from '@probe-mesh/contracts/answers'
import type { Region } from '@probe-mesh/contracts/regions'
import type { RegionView } from './region-reading.ts'
import { chanceOfSoMany } from './statistics.ts'

/** What services stand on together: a CDN, a region of a cloud, a DNS provider. */
export type Factor = { kind: FactorKind; name: string }

/** A catalog service as its probes see it now. */
export type ObservedService = {
  slug: string
  name: string
  factors: readonly Factor[]
  /** `failing` is a confirmed outage; `unknown` is evidence for nothing. */
  standing: 'failing' | 'well' | 'unknown'
  /** Where it is down. */
  regions: readonly Region[]
  /** When its outage began, Unix milliseconds; only of a failing one. */
  sinceMs: number | null
}

/**
 * "Probe-confirmed": down in two regions at least, or in the one that it is measured from. What is
 * down in one region of several may be that region's network, and is evidence for nothing.
 */
export const standingOf = (views: readonly RegionView[]): ObservedService['standing'] => {
  const fresh = views.filter((view) => view.fresh)
  const down = fresh.filter((view) => view.status === 'down').length
  if (down > 0) return down >= 2 || views.length === 1 ? 'failing' : 'unknown'
  return fresh.some((view) => view.status === 'up') ? 'well' : 'unknown'
}

export const membersMin = 3
const liftMin = 3
/** Chance of a false alarm over all factors at one look, given that so many services fail. */
const chanceMax = 0.001
/** Outages have one cause only if they began within this time of each other. */
export const onsetMs = 1_800_000

/** A factor that explains outages. */
export type Suspicion = {
  factor: Factor
  members: readonly ObservedService[]
  /** Services with the factor that count, and the bounded chance that this is chance. */
  measuredCount: number
  chance: number
}

/**
 * The factor that explains best why services fail, or null when none does. Looked at are outages
 * that began within half an hour of one another; a factor explains them when at least three of its
 * services are among them, at least three times the share of those in the rest of the catalog, and
 * when so many would fall together by chance (Fisher's exact test, times the number of factors that
 * could) in one of a thousand cases at most. When everything fails, no factor stands out: that is
 * our own network.
 */
export const strongestFactor = (services: readonly ObservedService[]): Suspicion | null => {
  const known = services.filter(({ standing }) => standing !== 'unknown')
  const groups = groupByFactor(known).filter(({ services }) => services.length >= membersMin)
  const catalog = countStandings(known)
  const suspicions = groups.flatMap((group) => {
    const own = countStandings(group.services)
    if (own.onsets.length < membersMin) return []
    return [...new Set(own.onsets)].flatMap(
      (fromMs) => suspect(group, own, catalog, fromMs, groups.length) ?? [],
    )
  })
  return suspicions.toSorted(byStrength)[0] ?? null
}

type Group = { factor: Factor; services: ObservedService[] }

const groupByFactor = (services: readonly ObservedService[]): Group[] => {
  const groups = new Map<string, Group>()
  for (const service of services) {
    for (const factor of service.factors) {
      const group = groups.get(factorKey(factor)) ?? { factor, services: [] }
      group.services.push(service)
      groups.set(factorKey(factor), group)
    }
  }
  return [...groups.values()]
}

export const factorKey = ({ kind, name }: Factor): string => `${kind}:${name}`

/** How many services are well, and when the others began to fail, ascending. */
type Standings = { well: number; onsets: number[] }

const countStandings = (services: readonly ObservedService[]): Standings => ({
  well: services.filter(({ standing }) => standing === 'well').length,
  onsets: services.flatMap((one) => sinceOf(one) ?? []).toSorted((a, b) => a - b),
})

const sinceOf = ({ standing, sinceMs }: ObservedService): number | null =>
  standing === 'failing' ? sinceMs : null

const isIn = (sinceMs: number | null, fromMs: number): boolean =>
  sinceMs !== null && sinceMs >= fromMs && sinceMs <= fromMs + onsetMs

const suspect = (
  group: Group,
  own: Standings,
  catalog: Standings,
  fromMs: number,
  factors: number,
): Suspicion | null => {
  // what fails since another time says nothing for or against
  const failingIn = ({ onsets }: Standings): number =>
    onsets.filter((sinceMs) => isIn(sinceMs, fromMs)).length
  const hits = failingIn(own)
  if (hits < membersMin) return null
  const marked = failingIn(catalog)
  const drawn = own.well + hits
  const population = catalog.well + marked
  if (hits * (population - drawn) < liftMin * (marked - hits) * drawn) return null
  const chance = factors * chanceOfSoMany({ population, marked, drawn, hits })
  if (chance > chanceMax) return null
  const members = group.services.filter((service) => isIn(sinceOf(service), fromMs))
  return { factor: group.factor, members, measuredCount: drawn, chance }
}

/** The least chance first, then the most members, then by name: never by the order they came in. */
const byStrength = (a: Suspicion, b: Suspicion): number =>
  a.chance - b.chance ||
  b.members.length - a.members.length ||
  (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1)
