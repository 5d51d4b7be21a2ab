import type { FactorKind } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionFailure } from './failure-sign.ts'
import type { RegionView } from './region-reading.ts'
import { fisherExactChance } from './statistics.ts'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'

/** What services stand on together: a CDN, a region of a cloud, a DNS provider. */
export type Factor = { kind: FactorKind; name: string }

/** A catalog service as its probes see it now. */
export type ObservedService = {
  slug: string
  name: string
  /** Who runs it; null where that runs nothing else of the catalog. */
  vendor: string | null
  factors: readonly Factor[]
  /** `failing` is a confirmed outage; `unknown` is evidence for nothing. */
  standing: 'failing' | 'well' | 'unknown'
  /** Where it is down. */
  regions: readonly Region[]
  /** When its outage began, Unix milliseconds; only of a failing one. */
  sinceMs: number | null
  /** How it fails in each of those regions. */
  failures: readonly RegionFailure[]
  /** Where it is up. */
  wellIn: readonly Region[]
  /** It gives no answer, which may be the network of this machine; absent is no. */
  doubted?: boolean
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

/**
 * A service as one region sees it, for what fails there and nowhere else. Only an answer that is wrong
 * counts there: silence may be the network of the region itself.
 */
export const seenFrom = (service: ObservedService, region: Region): ObservedService => {
  const failure = service.failures.find((one) => one.region === region)
  const isOwn = service.standing !== 'failing' && failure?.sign === 'answered'
  return {
    ...service,
    standing: isOwn ? 'failing' : service.wellIn.includes(region) ? 'well' : 'unknown',
    regions: isOwn ? [region] : [],
    sinceMs: isOwn ? failure.sinceMs : null,
    failures: isOwn ? [failure] : [],
  }
}

/**
 * Whether a service fails as it would if the factor did: a DNS provider fails names, a CDN connections
 * or answers that bear its mark, and what a region of a cloud fails with depends on what is in it.
 * Silence in no more regions than it is well in may be the network of those regions.
 */
export const fits = ({ failures, wellIn }: ObservedService, { kind, name }: Factor): boolean => {
  const answered = failures.filter(({ sign }) => sign === 'answered').length
  if (answered * 2 < failures.length && failures.length <= wellIn.length) return false
  if (kind === 'cloud_region' || kind === 'unknown') return failures.length > 0
  const fitting = failures.filter(({ sign, mark }) =>
    kind === 'dns' ? sign === 'name' : sign === 'silent' || mark === name,
  )
  return fitting.length > 0 && fitting.length * 2 >= failures.length
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
 * that began within half an hour of one another and that fail as the factor would. It explains them
 * when vendors are among them at least three times as often as in the rest of the catalog, and when
 * so many would fall together by chance (Fisher's exact test, times the number of factors that could)
 * in one of a thousand cases at most. What counts is vendors, three at least: the services of one fail
 * together by a fault of its own (S-1405, S-1406).
 */
export const strongestFactor = (services: readonly ObservedService[]): Suspicion | null => {
  const known = services.filter(({ standing }) => standing !== 'unknown')
  if (known.filter(({ standing }) => standing === 'failing').length < membersMin) return null
  const groups = groupByFactor(known).filter(({ services }) => unitsOf(services) >= membersMin)
  const suspicions = groups.flatMap((group) => {
    const onsets = new Set(group.services.flatMap((one) => sinceOf(one) ?? []))
    return [...onsets].flatMap((fromMs) => suspect(group, known, fromMs, groups.length) ?? [])
  })
  return suspicions.toSorted(byStrength)[0] ?? null
}

/** The chance that services fall like this by accident, of one factor; 1 where it explains nothing. */
export const chanceThat = (factor: Factor, services: readonly ObservedService[]): number => {
  const known = services.filter(({ standing }) => standing !== 'unknown')
  const groups = groupByFactor(known).filter(({ services }) => unitsOf(services) >= membersMin)
  const group = groups.find((one) => factorKey(one.factor) === factorKey(factor))
  if (group === undefined) return 1
  const onsets = new Set(group.services.flatMap((one) => sinceOf(one) ?? []))
  const chances = [...onsets].flatMap((fromMs) => suspect(group, known, fromMs, groups.length)?.chance ?? [])
  return Math.min(1, ...chances)
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

/** What counts as one: a vendor, or a service of a vendor of its own. */
const unitOf = ({ vendor, slug }: ObservedService): string => vendor ?? `:${slug}`

const unitsOf = (services: readonly ObservedService[]): number => new Set(services.map(unitOf)).size

const sinceOf = ({ standing, sinceMs }: ObservedService): number | null =>
  standing === 'failing' ? sinceMs : null

/** Whether it fails since about then. */
const isIn = (service: ObservedService, fromMs: number): boolean => {
  const sinceMs = sinceOf(service)
  return sinceMs !== null && sinceMs >= fromMs && sinceMs <= fromMs + onsetMs
}

/** Whether it fails since about then, as the factor would have it. */
const isHit = (service: ObservedService, factor: Factor, fromMs: number): boolean =>
  isIn(service, fromMs) && fits(service, factor)

/** What would fit a CDN if it were of it: only its own answers can bear a mark. */
const isLike = (service: ObservedService, { kind, name }: Factor, fromMs: number): boolean =>
  isIn(service, fromMs) &&
  (kind === 'cdn' ? !fits(service, { kind: 'dns', name }) : fits(service, { kind, name }))

/** How many vendors are hit, and how many are well; what fails otherwise says nothing for or against. */
const countUnits = (
  services: readonly ObservedService[],
  hits: ReadonlySet<ObservedService>,
): { hit: number; well: number } => {
  const hit = new Set<string>()
  const well = new Set<string>()
  for (const service of services) {
    if (hits.has(service)) hit.add(unitOf(service))
    else if (service.standing === 'well') well.add(unitOf(service))
  }
  return { hit: hit.size, well: [...well].filter((unit) => !hit.has(unit)).length }
}

const suspect = (
  { factor, services }: Group,
  known: readonly ObservedService[],
  fromMs: number,
  factors: number,
): Suspicion | null => {
  const members = services.filter((service) => isHit(service, factor, fromMs))
  if (unitsOf(members) < membersMin) return null
  const own = countUnits(services, new Set(members))
  const inGroup = new Set(services)
  const alike = known.filter((one) =>
    inGroup.has(one) ? isHit(one, factor, fromMs) : isLike(one, factor, fromMs),
  )
  const all = countUnits(known, new Set(alike))
  const [hits, marked] = [own.hit, all.hit]
  const drawn = own.well + hits
  const population = all.well + marked
  if (hits * (population - drawn) < liftMin * (marked - hits) * drawn) return null
  const chance = factors * fisherExactChance({ population, marked, drawn, hits })
  if (chance > chanceMax) return null
  const well = services.filter(({ standing }) => standing === 'well').length
  return { factor, members, measuredCount: members.length + well, chance }
}

/** The least chance first, then the most members, then by name: never by the order they came in. */
const byStrength = (a: Suspicion, b: Suspicion): number =>
  a.chance - b.chance ||
  b.members.length - a.members.length ||
  (factorKey(a.factor) < factorKey(b.factor) ? -1 : 1)

/** Of a vendor's services so many have to fail. */
const ownMin = 2
const ownChanceMax = 0.01

/** Services of one vendor that fail together. */
type VendorFailure = {
  vendor: string
  members: readonly ObservedService[]
  measuredCount: number
}

/**
 * The vendor most of whose services fail together, or null: two at least that began to fail within
 * half an hour, more than chance would have it. Nothing shared is accused by it.
 */
export const strongestVendor = (services: readonly ObservedService[]): VendorFailure | null => {
  const known = services.filter(({ standing }) => standing !== 'unknown')
  const vendors = Map.groupBy(known, ({ vendor }) => vendor)
  vendors.delete(null)
  const several = [...vendors].filter(([, own]) => own.length >= ownMin)
  const found = several.flatMap(([vendor, own]) => {
    const onsets = [...new Set(own.flatMap((one) => sinceOf(one) ?? []))]
    return onsets.flatMap((fromMs) => {
      const failed = (one: ObservedService): boolean => isHit(one, anything, fromMs)
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

const anything: Factor = { kind: 'unknown', name: 'unknown' }

type Listed = Pick<CatalogService, 'cdn' | 'cloud' | 'cloudRegion' | 'dns'>

/** What a service stands on, as the catalog says. */
export const listedFactors = ({ cdn, cloud, cloudRegion, dns }: Listed): Factor[] => [
  ...(cdn === null ? [] : [{ kind: 'cdn', name: cdn } as const]),
  ...(cloud === null || cloudRegion === null
    ? []
    : [{ kind: 'cloud_region', name: `${cloud}/${cloudRegion}` } as const]),
  ...(dns === null ? [] : [{ kind: 'dns', name: dns } as const]),
]
