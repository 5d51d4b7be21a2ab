import type { Factor } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionFailure } from './failure-mode.ts'
import type { RegionView } from './region-reading.ts'
import { fisherExactChance } from './statistics.ts'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'

export type { Factor }

/** The current state of a catalog service. */
export type ObservedService = {
  slug: string
  name: string
  /** The operator of the service; null if it operates no other service of the catalog. */
  vendor: string | null
  factors: readonly Factor[]
  /** `failing` is a confirmed outage; `unknown` is no evidence. */
  health: 'failing' | 'healthy' | 'unknown'
  /** The regions where it is down. */
  regions: readonly Region[]
  /** When its outage began, Unix milliseconds; null unless it is failing. */
  sinceMs: number | null
  /** How it fails in each of those regions. */
  failures: readonly RegionFailure[]
  /** The regions where it is up. */
  upIn: readonly Region[]
  /** Whether its silence may come from this machine's own network; absent: false. */
  ownNetworkSuspected?: boolean
}

/**
 * A service is `failing` if it is down in at least two regions, or in its only region. A failure in one of
 * several regions may be that region's network, so it is `unknown`.
 */
export const healthOf = (views: readonly RegionView[]): ObservedService['health'] => {
  const fresh = views.filter((view) => view.fresh)
  const down = fresh.filter((view) => view.status === 'down').length
  if (down > 0) return down >= 2 || views.length === 1 ? 'failing' : 'unknown'
  return fresh.some((view) => view.status === 'up') ? 'healthy' : 'unknown'
}

/**
 * A service as one region sees it, to find failures limited to that region. Only wrong answers count: silence
 * may be the region's own network.
 */
export const seenFromRegion = (service: ObservedService, region: Region): ObservedService => {
  const failure = service.failures.find((one) => one.region === region)
  const isRegional = service.health !== 'failing' && failure?.mode === 'wrong_answer'
  return {
    ...service,
    health: isRegional ? 'failing' : service.upIn.includes(region) ? 'healthy' : 'unknown',
    regions: isRegional ? [region] : [],
    sinceMs: isRegional ? failure.sinceMs : null,
    failures: isRegional ? [failure] : [],
  }
}

/**
 * Whether a service fails the way the factor would make it fail: a DNS provider breaks names, a CDN breaks
 * connections or sends wrong answers with its mark, and a cloud region may break anything. Silence does not
 * count if the service is up in at least as many regions: the silent regions' networks may be at fault.
 */
export const failsLike = ({ failures, upIn }: ObservedService, { kind, name }: Factor): boolean => {
  const wrongAnswers = failures.filter(({ mode }) => mode === 'wrong_answer').length
  if (wrongAnswers * 2 < failures.length && failures.length <= upIn.length) return false
  if (kind === 'cloud_region' || kind === 'unknown') return failures.length > 0
  const matching = failures.filter(({ mode, mark }) =>
    kind === 'dns' ? mode === 'dns' : mode === 'no_answer' || mark === name,
  )
  return matching.length > 0 && matching.length * 2 >= failures.length
}

export const membersMin = 3
const liftMin = 3
/** The highest accepted chance of a false alarm over all factors in one evaluation. */
const chanceMax = 0.001
/** Outages with one cause begin within this time of each other. */
export const onsetMs = 1_800_000

/** A factor that may have caused outages. */
export type SuspectedFactor = {
  factor: Factor
  members: readonly ObservedService[]
  /** Measured services with the factor. */
  measuredCount: number
  /** The chance of this pattern without a common cause. */
  chance: number
}

/**
 * The factor that best explains the current outages; null if none does. It compares outages that began within
 * half an hour of each other and fail the way the factor would make them fail. A factor explains them if its
 * vendors fail at least three times as often as the rest of the catalog, and if the chance of that (Fisher's
 * exact test, times the number of factors) is at most one in a thousand. It counts vendors, not services, and
 * needs three: the services of one vendor can fail together without a shared factor (S-1405, S-1406).
 */
export const strongestFactor = (services: readonly ObservedService[]): SuspectedFactor | null => {
  const known = services.filter(({ health }) => health !== 'unknown')
  if (known.filter(({ health }) => health === 'failing').length < membersMin) return null
  const groups = groupByFactor(known).filter(({ services }) => countVendors(services) >= membersMin)
  const suspects = groups.flatMap((group) => {
    const onsets = new Set(group.services.flatMap((one) => sinceOf(one) ?? []))
    return [...onsets].flatMap((fromMs) => testFactor(group, known, fromMs, groups.length) ?? [])
  })
  return suspects.toSorted(byStrength)[0] ?? null
}

/** The chance of the current outages without this factor as their cause; 1 if it explains nothing. */
export const chanceOfFactor = (factor: Factor, services: readonly ObservedService[]): number => {
  const known = services.filter(({ health }) => health !== 'unknown')
  const groups = groupByFactor(known).filter(({ services }) => countVendors(services) >= membersMin)
  const group = groups.find((one) => factorKey(one.factor) === factorKey(factor))
  if (group === undefined) return 1
  const onsets = new Set(group.services.flatMap((one) => sinceOf(one) ?? []))
  const chances = [...onsets].flatMap(
    (fromMs) => testFactor(group, known, fromMs, groups.length)?.chance ?? [],
  )
  return Math.min(1, ...chances)
}

type Group = { factor: Factor; services: ObservedService[] }

export const groupByFactor = (services: readonly ObservedService[]): Group[] => {
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

/** The vendor; a service without one counts as its own vendor. */
const vendorOf = ({ vendor, slug }: ObservedService): string => vendor ?? `:${slug}`

const countVendors = (services: readonly ObservedService[]): number => new Set(services.map(vendorOf)).size

const sinceOf = ({ health, sinceMs }: ObservedService): number | null =>
  health === 'failing' ? sinceMs : null

/** Whether its outage began within `onsetMs` after `fromMs`. */
const isInOnset = (service: ObservedService, fromMs: number): boolean => {
  const sinceMs = sinceOf(service)
  return sinceMs !== null && sinceMs >= fromMs && sinceMs <= fromMs + onsetMs
}

/** Whether its outage began then and the factor would cause such a failure. */
const isHit = (service: ObservedService, factor: Factor, fromMs: number): boolean =>
  isInOnset(service, fromMs) && failsLike(service, factor)

/**
 * Whether a service without the factor fails like the services with it. Answers of other services never bear
 * a CDN's mark, so for a CDN every failure counts that is not a DNS failure.
 */
const failsAlike = (service: ObservedService, { kind, name }: Factor, fromMs: number): boolean =>
  isInOnset(service, fromMs) &&
  (kind === 'cdn' ? !failsLike(service, { kind: 'dns', name }) : failsLike(service, { kind, name }))

/** The number of hit vendors and of healthy vendors. Other failures are no evidence either way. */
const countHitVendors = (
  services: readonly ObservedService[],
  hits: ReadonlySet<ObservedService>,
): { hit: number; healthy: number } => {
  const hit = new Set<string>()
  const healthy = new Set<string>()
  for (const service of services) {
    if (hits.has(service)) hit.add(vendorOf(service))
    else if (service.health === 'healthy') healthy.add(vendorOf(service))
  }
  return { hit: hit.size, healthy: [...healthy].filter((vendor) => !hit.has(vendor)).length }
}

const testFactor = (
  { factor, services }: Group,
  known: readonly ObservedService[],
  fromMs: number,
  factors: number,
): SuspectedFactor | null => {
  const members = services.filter((service) => isHit(service, factor, fromMs))
  if (countVendors(members) < membersMin) return null
  const own = countHitVendors(services, new Set(members))
  const inGroup = new Set(services)
  const alike = known.filter((one) =>
    inGroup.has(one) ? isHit(one, factor, fromMs) : failsAlike(one, factor, fromMs),
  )
  const all = countHitVendors(known, new Set(alike))
  const [hits, marked] = [own.hit, all.hit]
  const drawn = own.healthy + hits
  const population = all.healthy + marked
  if (hits * (population - drawn) < liftMin * (marked - hits) * drawn) return null
  const chance = factors * fisherExactChance({ population, marked, drawn, hits })
  if (chance > chanceMax) return null
  const healthy = services.filter(({ health }) => health === 'healthy').length
  return { factor, members, measuredCount: members.length + healthy, chance }
}

/** The smallest chance first, then the most members, then by name, so that input order does not matter. */
const byStrength = (a: SuspectedFactor, b: SuspectedFactor): number =>
  a.chance - b.chance ||
  b.members.length - a.members.length ||
  (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1)

/** The fewest services of a vendor that must fail. */
const ownMin = 2
const ownChanceMax = 0.01

/** Services of one vendor that fail together. */
type VendorFailure = {
  vendor: string
  members: readonly ObservedService[]
  measuredCount: number
}

/**
 * The vendor with the most services that fail together; null without one. At least two must have begun to
 * fail within half an hour, which chance alone would rarely cause. It accuses no shared factor.
 */
export const strongestVendor = (services: readonly ObservedService[]): VendorFailure | null => {
  const known = services.filter(({ health }) => health !== 'unknown')
  const vendors = Map.groupBy(known, ({ vendor }) => vendor)
  vendors.delete(null)
  const several = [...vendors].filter(([, own]) => own.length >= ownMin)
  const found = several.flatMap(([vendor, own]) => {
    const onsets = [...new Set(own.flatMap((one) => sinceOf(one) ?? []))]
    return onsets.flatMap((fromMs) => {
      const failed = (one: ObservedService): boolean => isHit(one, unknownFactor, fromMs)
      const members = own.filter(failed)
      const chance =
        several.length *
        fisherExactChance({
          population: known.length,
          marked: known.filter(failed).length,
          drawn: own.length,
          hits: members.length,
        })
      const isUnlikely = members.length >= ownMin && chance <= ownChanceMax
      return isUnlikely && vendor !== null ? [{ vendor, members, measuredCount: own.length, chance }] : []
    })
  })
  const [first] = found.toSorted(
    (a, b) => b.members.length - a.members.length || a.chance - b.chance || (a.vendor < b.vendor ? -1 : 1),
  )
  if (first === undefined) return null
  const { vendor, members, measuredCount } = first
  return { vendor, members, measuredCount }
}

/** The factor of an outage that no shared factor explains. Any failure matches it. */
export const unknownFactor: Factor = { kind: 'unknown', name: 'unknown' }

type Listed = Pick<CatalogService, 'cdn' | 'cloud' | 'cloudRegion' | 'dns'>

/** The factors of a service according to the catalog. */
export const listedFactors = ({ cdn, cloud, cloudRegion, dns }: Listed): Factor[] => [
  ...(cdn === null ? [] : [{ kind: 'cdn', name: cdn } as const]),
  ...(cloud === null || cloudRegion === null
    ? []
    : [{ kind: 'cloud_region', name: `${cloud}/${cloudRegion}` } as const]),
  ...(dns === null ? [] : [{ kind: 'dns', name: dns } as const]),
]
