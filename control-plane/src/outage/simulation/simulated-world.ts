import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { FailureSign } from '../failure-sign.ts'
import { listedFactors, factorKey } from '../shared-factors.ts'
import type { Factor } from '../shared-factors.ts'
import type { Random } from './random.ts'

/** What happens to a catalog, by the minute; nobody knows it but the judge of what was said. */

export const regions: readonly Region[] = ['fra', 'iad', 'nrt', 'sjc']

/** A service as some regions see it in [from, to), minutes; `unread` where they see nothing. */
export type SimulatedFailure = {
  slug: string
  from: number
  to: number
  regions: readonly Region[]
  sign: FailureSign | 'unread'
  mark: string | null
}

/** An outage of something shared; of the kind `unknown` where most of the catalog fails. */
export type SharedOutage = {
  factor: Factor
  /** Where, if in one region only. */
  region: Region | null
  from: number
  to: number
  failures: readonly SimulatedFailure[]
}

/** An outage of one vendor's own making. */
export type VendorOutage = Omit<SharedOutage, 'factor'> & { vendor: string }

/** CDNs that mark what they answer, so that the agents know it. */
const marking = new Set(['akamai', 'bunny', 'cloudflare', 'cloudfront', 'fastly'])

type Manner = { sign: FailureSign; marked: boolean }

/** How a target fails for a reason of its own. */
const mannerOf = (random: Random): Manner => {
  const at = random.uniform()
  if (at < 0.1) return { sign: 'name', marked: false }
  return at < 0.4 ? { sign: 'silent', marked: false } : { sign: 'answered', marked: at < 0.85 }
}

const pick = <T>(random: Random, some: readonly T[]): T | undefined =>
  some[Math.floor(random.uniform() * some.length)]

const partOf = <T>(random: Random, some: readonly T[], share: number, least: number): T[] => {
  const keyed = some.map((one) => ({ one, key: random.uniform() })).toSorted((a, b) => a.key - b.key)
  return keyed.slice(0, Math.max(least, Math.ceil(some.length * share))).map(({ one }) => one)
}

/** A region misses a failure in one of twenty cases; the slot's own wait, and then its confirmation. */
const seenFailing = (
  service: CatalogService,
  { sign, marked }: Manner,
  span: { from: number; to: number; regions: readonly Region[] },
  random: Random,
): SimulatedFailure => {
  const seenIn = span.regions.filter(() => random.uniform() >= 0.05)
  const cdn = service.cdn !== null && marking.has(service.cdn) ? service.cdn : null
  return {
    slug: service.slug,
    from: Math.floor(span.from + random.uniform() + random.exponential(0.7)),
    to: span.to,
    regions: seenIn,
    sign,
    mark: sign === 'answered' && marked ? cdn : null,
  }
}

const minutesOf = (random: Random): number => 2 + 12 * Math.exp(1.2 * random.normal())
const someRegions = (random: Random, oneIn: number): readonly Region[] =>
  random.uniform() < oneIn ? [pick(random, regions) ?? 'fra'] : regions

const ownPerDay = 1 / 20

/** Outages of single services, more of them in working hours, a few of which last for days. */
export const ownFailures = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  services.flatMap((service) => {
    const failures: SimulatedFailure[] = []
    for (let at = 0; at < minutes; at += 60) {
      const hour = (at / 60) % 24
      // releases: five times as many in working hours
      const rate = (hour >= 9 && hour < 17 ? 5 : 1) * (3 / 7)
      if (random.uniform() >= (ownPerDay / 24) * rate) continue
      const from = at + 60 * random.uniform()
      const to = from + (random.uniform() < 0.01 ? 5_000 : minutesOf(random))
      const span = { from, to, regions: someRegions(random, 0.2) }
      failures.push(seenFailing(service, mannerOf(random), span, random))
    }
    return failures
  })

/** One vendor's outage: half to all of its services fail alike, most within minutes. */
export const vendorOutage = (
  services: readonly CatalogService[],
  vendor: string,
  from: number,
  random: Random,
): VendorOutage => {
  const own = services.filter((service) => service.vendor === vendor)
  const to = from + 20 + random.exponential(60)
  const where = someRegions(random, 0.15)
  const manner = mannerOf(random)
  const failures = partOf(random, own, 0.5 + 0.5 * random.uniform(), 2).map((service) =>
    seenFailing(service, manner, { from: from + random.exponential(2), to, regions: where }, random),
  )
  return { vendor, region: where.length === 1 ? (where[0] ?? null) : null, from, to, failures }
}

export const vendorsOf = (services: readonly CatalogService[]): string[] => [
  ...new Set(services.flatMap(({ vendor }) => vendor ?? [])),
]

/** Every vendor once in this many days. */
const vendorEveryDays = 120

export const vendorOutages = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): VendorOutage[] =>
  vendorsOf(services).flatMap((vendor) => {
    const outages: VendorOutage[] = []
    let at = random.exponential(vendorEveryDays * 1_440)
    for (; at < minutes; at += random.exponential(vendorEveryDays * 1_440)) {
      outages.push(vendorOutage(services, vendor, at, random))
    }
    return outages
  })

const faultEveryDays = 10

/**
 * Regions that lose hosts by a fault of their own, silently: of the whole catalog, or of one CDN or
 * cloud that the way there leads to; one of ten takes two regions at once. What takes most of a region
 * is quarantined after a minute or two.
 */
export const ownFaults = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  regions.flatMap((region, index) => {
    const failures: SimulatedFailure[] = []
    let at = random.exponential(faultEveryDays * 1_440)
    for (; at < minutes; at += random.exponential(faultEveryDays * 1_440)) {
      const beside = regions[(index + 1) % regions.length] ?? region
      const where = random.uniform() < 0.1 ? [region, beside] : [region]
      const share = 0.05 + 0.55 * random.uniform()
      const factors = services.flatMap(listedFactors)
      const way = random.uniform() < 0.3 ? pick(random, factors) : undefined
      const lost =
        way === undefined
          ? partOf(random, services, share, 1)
          : services.filter((one) => listedFactors(one).some((each) => factorKey(each) === factorKey(way)))
      const isNoticed = lost.length > services.length * 0.3
      const to = at + (isNoticed ? 2 : 10 + random.exponential(50))
      const manner = { sign: 'silent', marked: false } as const
      failures.push(
        ...lost.map((service) => seenFailing(service, manner, { from: at, to, regions: where }, random)),
      )
    }
    return failures
  })

/** Services that nothing is known of for a while. */
export const unread = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  services.flatMap(({ slug }) => {
    const gaps: SimulatedFailure[] = []
    let at = random.exponential(14_400)
    for (; at < minutes; at += random.exponential(14_400)) {
      const from = Math.floor(at)
      gaps.push({ slug, from, to: from + 20, regions, sign: 'unread', mark: null })
    }
    return gaps
  })

/** So many vendors have to stand on a factor for its outage to be found. */
const vendorsMin = 5

/** Factors on which enough vendors stand. */
export const largeFactors = (services: readonly CatalogService[]): Factor[] => {
  const groups = Map.groupBy(
    services.flatMap((service) =>
      listedFactors(service).map((factor) => ({
        factor,
        unit: service.vendor ?? `:${service.slug}`,
      })),
    ),
    ({ factor }) => factorKey(factor),
  )
  return [...groups.values()].flatMap((rows) => {
    const [first] = rows
    const units = new Set(rows.map(({ unit }) => unit))
    return first !== undefined && units.size >= vendorsMin ? [first.factor] : []
  })
}

/** An outage of a factor: so many of its services fail at least, as it makes them, most within minutes. */
export const sharedOutage = (
  services: readonly CatalogService[],
  factor: Factor,
  { from, shareMin }: { from: number; shareMin: number },
  random: Random,
): SharedOutage => {
  const own = services.filter((one) =>
    listedFactors(one).some((each) => factorKey(each) === factorKey(factor)),
  )
  const to = from + 30 + random.exponential(60)
  const answers = random.uniform() < 0.6
  const isMarked = marking.has(factor.name)
  const sign =
    factor.kind === 'dns'
      ? 'name'
      : factor.kind === 'cdn' && !isMarked
        ? 'silent'
        : answers
          ? 'answered'
          : 'silent'
  // only what answers wrongly shows in one region
  const isRegional = factor.kind === 'cdn' && sign === 'answered' && random.uniform() < 0.3
  const where = isRegional ? [pick(random, regions) ?? 'fra'] : regions
  const share = shareMin + (1 - shareMin) * random.uniform()
  const failures = partOf(random, own, share, 3).map((service) =>
    seenFailing(
      service,
      { sign, marked: factor.kind === 'cdn' },
      { from: from + random.exponential(1), to, regions: where },
      random,
    ),
  )
  return { factor, region: isRegional ? (where[0] ?? null) : null, from, to, failures }
}

/** Six of ten to all services fail, whatever they stand on. */
export const massOutage = (
  services: readonly CatalogService[],
  from: number,
  random: Random,
): SharedOutage => {
  const to = from + 20 + random.exponential(30)
  const manner = mannerOf(random)
  const failures = partOf(random, services, 0.65 + 0.35 * random.uniform(), 3).map((service) =>
    seenFailing(service, manner, { from, to, regions }, random),
  )
  return { factor: { kind: 'unknown', name: 'unknown' }, region: null, from, to, failures }
}
