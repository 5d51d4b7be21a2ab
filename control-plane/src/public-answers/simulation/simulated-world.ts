import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { FailureMode } from '../failure-mode.ts'
import { listedFactors, factorKey, type Factor } from '../shared-factors.ts'
import type { Random } from './random.ts'

/** The true events of a simulated catalog, in minutes. The rules see them only through probes. */

export const regions: readonly Region[] = ['fra', 'iad', 'nrt', 'sjc']

/**
 * A failure of a service as some regions see it in [from, to), minutes; `unmeasured` is a gap in measuring.
 */
export type SimulatedFailure = {
  slug: string
  from: number
  to: number
  regions: readonly Region[]
  mode: FailureMode | 'unmeasured'
  mark: string | null
}

/** An outage of a shared factor; of kind `unknown` if most of the catalog fails. */
export type SharedOutage = {
  factor: Factor
  /** The region of a regional outage; null: all regions. */
  region: Region | null
  from: number
  to: number
  failures: readonly SimulatedFailure[]
}

/** An outage of one vendor. */
export type VendorOutage = Omit<SharedOutage, 'factor'> & { vendor: string }

/** CDNs that agents recognize by a mark in their answers. */
const marking = new Set(['akamai', 'bunny', 'cloudflare', 'cloudfront', 'fastly'])

/** How a service fails, and whether its wrong answers bear the CDN's mark. */
type FailureKind = { mode: FailureMode; marked: boolean }

const randomKind = (random: Random): FailureKind => {
  const at = random.uniform()
  if (at < 0.1) return { mode: 'dns', marked: false }
  return at < 0.4 ? { mode: 'no_answer', marked: false } : { mode: 'wrong_answer', marked: at < 0.85 }
}

const pick = <T>(random: Random, some: readonly T[]): T | undefined =>
  some[Math.floor(random.uniform() * some.length)]

const randomPart = <T>(random: Random, some: readonly T[], share: number, least: number): T[] => {
  const keyed = some.map((one) => ({ one, key: random.uniform() })).toSorted((a, b) => a.key - b.key)
  return keyed.slice(0, Math.max(least, Math.ceil(some.length * share))).map(({ one }) => one)
}

/** The observed failure: each region misses it in 5 % of cases, and slots and confirmations delay it. */
const observeFailure = (
  service: CatalogService,
  { mode, marked }: FailureKind,
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
    mode,
    mark: mode === 'wrong_answer' && marked ? cdn : null,
  }
}

const randomMinutes = (random: Random): number => 2 + 12 * Math.exp(1.2 * random.normal())
const someRegions = (random: Random, oneIn: number): readonly Region[] =>
  random.uniform() < oneIn ? [pick(random, regions) ?? 'fra'] : regions

const ownPerDay = 1 / 20

/** Outages of single services, more often in working hours. A few last for days. */
export const serviceOutages = (
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
      const to = from + (random.uniform() < 0.01 ? 5_000 : randomMinutes(random))
      const span = { from, to, regions: someRegions(random, 0.2) }
      failures.push(observeFailure(service, randomKind(random), span, random))
    }
    return failures
  })

/** An outage of one vendor: half to all of its services fail in the same way, most within minutes. */
export const vendorOutage = (
  services: readonly CatalogService[],
  vendor: string,
  from: number,
  random: Random,
): VendorOutage => {
  const own = services.filter((service) => service.vendor === vendor)
  const to = from + 20 + random.exponential(60)
  const where = someRegions(random, 0.15)
  const kind = randomKind(random)
  const failures = randomPart(random, own, 0.5 + 0.5 * random.uniform(), 2).map((service) =>
    observeFailure(service, kind, { from: from + random.exponential(2), to, regions: where }, random),
  )
  return { vendor, region: where.length === 1 ? (where[0] ?? null) : null, from, to, failures }
}

export const vendorsOf = (services: readonly CatalogService[]): string[] => [
  ...new Set(services.flatMap(({ vendor }) => vendor ?? [])),
]

/** The mean days between outages of a vendor. */
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
 * Network faults of regions, which silence a part of the catalog or all services of one factor. One in ten
 * affects two regions. A fault that affects much of the catalog is quarantined after two minutes.
 */
export const regionFaults = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  regions.flatMap((region, index) => {
    const failures: SimulatedFailure[] = []
    let at = random.exponential(faultEveryDays * 1_440)
    for (; at < minutes; at += random.exponential(faultEveryDays * 1_440)) {
      const second = regions[(index + 1) % regions.length] ?? region
      const where = random.uniform() < 0.1 ? [region, second] : [region]
      const share = 0.05 + 0.55 * random.uniform()
      const factors = services.flatMap(listedFactors)
      const factor = random.uniform() < 0.3 ? pick(random, factors) : undefined
      const lost =
        factor === undefined
          ? randomPart(random, services, share, 1)
          : services.filter((one) => listedFactors(one).some((each) => factorKey(each) === factorKey(factor)))
      const isQuarantined = lost.length > services.length * 0.3
      const to = at + (isQuarantined ? 2 : 10 + random.exponential(50))
      const kind = { mode: 'no_answer', marked: false } as const
      failures.push(
        ...lost.map((service) => observeFailure(service, kind, { from: at, to, regions: where }, random)),
      )
    }
    return failures
  })

/** Gaps of 20 minutes in the measuring of single services. */
export const measurementGaps = (
  services: readonly CatalogService[],
  minutes: number,
  random: Random,
): SimulatedFailure[] =>
  services.flatMap(({ slug }) => {
    const gaps: SimulatedFailure[] = []
    let at = random.exponential(14_400)
    for (; at < minutes; at += random.exponential(14_400)) {
      const from = Math.floor(at)
      gaps.push({ slug, from, to: from + 20, regions, mode: 'unmeasured', mark: null })
    }
    return gaps
  })

/** The fewest vendors on a factor for which detection of its outages is required. */
const vendorsMin = 5

/** The factors that enough vendors use. */
export const largeFactors = (services: readonly CatalogService[]): Factor[] => {
  const groups = Map.groupBy(
    services.flatMap((service) =>
      listedFactors(service).map((factor) => ({
        factor,
        vendor: service.vendor ?? `:${service.slug}`,
      })),
    ),
    ({ factor }) => factorKey(factor),
  )
  return [...groups.values()].flatMap((rows) => {
    const [first] = rows
    const vendors = new Set(rows.map(({ vendor }) => vendor))
    return first !== undefined && vendors.size >= vendorsMin ? [first.factor] : []
  })
}

/** An outage of a factor: at least the share `shareMin` of its services fail, most within minutes. */
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
  const mode =
    factor.kind === 'dns'
      ? 'dns'
      : factor.kind === 'cdn' && !isMarked
        ? 'no_answer'
        : answers
          ? 'wrong_answer'
          : 'no_answer'
  // only wrong answers can reveal a regional outage
  const isRegional = factor.kind === 'cdn' && mode === 'wrong_answer' && random.uniform() < 0.3
  const where = isRegional ? [pick(random, regions) ?? 'fra'] : regions
  const share = shareMin + (1 - shareMin) * random.uniform()
  const failures = randomPart(random, own, share, 3).map((service) =>
    observeFailure(
      service,
      { mode, marked: factor.kind === 'cdn' },
      { from: from + random.exponential(1), to, regions: where },
      random,
    ),
  )
  return { factor, region: isRegional ? (where[0] ?? null) : null, from, to, failures }
}

/** An outage of 65 to 100 % of all services, whatever their factors. */
export const massOutage = (
  services: readonly CatalogService[],
  from: number,
  random: Random,
): SharedOutage => {
  const to = from + 20 + random.exponential(30)
  const kind = randomKind(random)
  const failures = randomPart(random, services, 0.65 + 0.35 * random.uniform(), 3).map((service) =>
    observeFailure(service, kind, { from, to, regions }, random),
  )
  return { factor: { kind: 'unknown', name: 'unknown' }, region: null, from, to, failures }
}
