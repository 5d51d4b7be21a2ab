import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseHost } from '@probe-mesh/contracts/target/target'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Observed } from '../observed.ts'
import { doubtedServices } from '../own-network.ts'
import type { RegionPace } from '../plate.ts'
import type { HeldRegion, ProbeReading } from '../region-reading.ts'
import type { ObservedService } from '../shared-factors.ts'
import type { Baselines } from './baselines.ts'
import type { CatalogMemory } from './catalog-memory.ts'
import type { HeldProbe } from './held-probe.ts'
import { observeService } from './observed-services.ts'
import type { ResponseTimes } from './response-times.ts'
import { roundMsOf, staleAfterMs, weighMsOf } from '../../status/freshness.ts'

/** The catalog is looked at as a whole at most this often. */
const servicesMs = 1_000

/** Memory, as answers read it: nothing of it while `isReady` says no. */
export const createObservedCatalog = (capabilities: {
  catalog: CatalogIndex
  memory: CatalogMemory
  baselines: Baselines
  weather: ResponseTimes
  regions: readonly Region[]
  staleAfterMs: number
  isReady: () => boolean
  isQuarantined: (region: Region) => boolean
  /** Since when several unrelated services are silent for a region; null where they are not. */
  burstSinceMs: (region: Region) => number | null
  catalogIntervalSeconds: number
  vantage: Evidence['vantage']
  now: () => number
}): Omit<Observed, 'shared'> => {
  const { catalog, memory, baselines, regions, staleAfterMs, vantage, now } = capabilities
  const { isReady, isQuarantined, burstSinceMs, catalogIntervalSeconds } = capabilities
  const silent = regions.map((region) => ({
    region,
    readings: [],
    undecided: [],
    changed: false,
  }))

  const heldOf = (slug: string): readonly HeldRegion[] => {
    const held = isReady() ? memory.readingsOf(slug) : silent
    const counted = held.map((region) => ({ ...region, quarantined: isQuarantined(region.region) }))
    return weighSilence(counted, burstSinceMs, catalogIntervalSeconds, now())
  }
  const observe = (service: CatalogService, regions: readonly HeldRegion[]): ObservedService => {
    const probesOf = (region: Region) => memory.probesOf(service.slug, region)
    const how = { nowMs: now(), staleAfterMs, vantage }
    return observeService(service, { regions, probesOf }, how)
  }

  const distant = catalog.catalog.services.filter(isDistant)
  /** Of regions that are one machine: what of the catalog that machine may fail to reach by itself. */
  let doubts: { atMs: number; slugs: ReadonlySet<string> } = { atMs: -Infinity, slugs: new Set() }
  const doubted = (): ReadonlySet<string> => {
    if (vantage !== 'local') return doubts.slugs
    const nowMs = now()
    if (Math.abs(nowMs - doubts.atMs) < servicesMs) return doubts.slugs
    const seen = distant.map((service) => observe(service, heldOf(service.slug)))
    const slugs = doubtedServices(seen)
    const isSame = slugs.size === doubts.slugs.size && slugs.isSubsetOf(doubts.slugs)
    if (!isSame) commonVersion += 1
    doubts = { atMs: nowMs, slugs }
    return slugs
  }

  const regionsOf = (slug: string): HeldRegion[] => {
    const isDoubted = doubted().has(slug)
    return heldOf(slug).map((region) => ({ ...region, doubted: isDoubted }))
  }

  /** What concerns every service, and how often it changed. */
  let common = { ready: false, baselines: -1, quarantined: -1, bursts: -1 }
  let commonVersion = 0
  const versionOfCommon = (): number => {
    doubted()
    const [ready, version, quarantined] = [isReady(), baselines.version(), quarantinedBits()]
    const bursts = burstsSum()
    const changed =
      ready !== common.ready ||
      version !== common.baselines ||
      quarantined !== common.quarantined ||
      bursts !== common.bursts
    if (!changed) return commonVersion
    common = { ready, baselines: version, quarantined, bursts }
    commonVersion += 1
    return commonVersion
  }
  /** Each region's bit: asked at every answer, so it makes nothing. */
  const quarantinedBits = (): number => {
    let bits = 0
    for (const region of regions) bits = bits * 2 + (isQuarantined(region) ? 1 : 0)
    return bits
  }
  /** Another number for other bursts. */
  const burstsSum = (): number => {
    let sum = 0
    for (const [n, region] of regions.entries()) sum += (n + 1) * (burstSinceMs(region) ?? 0)
    return sum
  }

  let looked: { atMs: number; version: number; services: readonly ObservedService[] } | null = null
  const services = (): readonly ObservedService[] => {
    const nowMs = now()
    const version = versionOfCommon()
    const isRecent = looked?.version === version && Math.abs(nowMs - looked.atMs) < servicesMs
    if (looked !== null && isRecent) return looked.services
    const observed = catalog.catalog.services.map((service) => observe(service, regionsOf(service.slug)))
    looked = { atMs: nowMs, version, services: observed }
    return observed
  }

  return {
    regionsOf,
    pacesOf: (slug) => {
      const checkIds = memory.checkIdsOf(slug)
      return regions.map((region): RegionPace => {
        const probes = isReady() ? memory.probesOf(slug, region) : []
        const speaker = Math.max(0, probes.findIndex(isFreshAndUp(now() - staleAfterMs)))
        const [probe, checkId] = [probes[speaker] ?? null, checkIds[speaker]]
        return {
          region,
          latenciesMs: freshLatencies(probe, now() - staleAfterMs),
          baseline: checkId === undefined ? null : baselines.of(checkId, region),
        }
      })
    },
    weather: () =>
      capabilities.weather
        .regions()
        .map((region) => ({ ...region, quarantined: isQuarantined(region.region) })),
    services,
    standingOf: (slug) => {
      const service = catalog.bySlug.get(slug)
      if (service === undefined) return { failures: [], wellIn: [], goodAtMs: null, failedAtMs: null }
      const { failures, wellIn } = observe(service, regionsOf(slug))
      const good = heldOf(slug).flatMap(({ readings }) =>
        readings.flatMap(({ verdict, measuredAt }) => (verdict === 'up' ? [measuredAt] : [])),
      )
      const failed = regions
        .flatMap((region) => memory.probesOf(slug, region))
        .map((probe) => probe?.failedAgainAt ?? -Infinity)
      return { failures, wellIn, goodAtMs: latestOf(good), failedAtMs: latestOf(failed) }
    },
    versionOf: (slug) => memory.versionOf(slug) + versionOfCommon(),
  }
}

const latestOf = (times: readonly number[]): number | null => {
  const latest = Math.max(...times)
  return latest === -Infinity ? null : latest
}

/** Not on this machine nor in its own network: what is there fails by itself, and is never doubted. */
const isDistant = ({ probes }: CatalogService): boolean =>
  probes.every(({ url }) => URL.canParse(url) && parseHost(new URL(url).hostname, { allow: allowNothing }).ok)

/** Of a region that is up the first probe that is speaks; a slower one beside it does not. */
const isFreshAndUp =
  (fromMs: number) =>
  (probe: HeldProbe | null): boolean =>
    probe !== null && probe.newest.verdict === 'up' && probe.newest.measuredAt >= fromMs

const freshLatencies = (probe: HeldProbe | null, fromMs: number): number[] =>
  probe === null ? [] : probe.paces.flatMap(({ at, latencyMs }) => (at >= fromMs ? [latencyMs] : []))

/**
 * The regions of a service, with until when the silence of some of them is weighed: that of no more regions
 * than find the service well may be their own network's. It is weighed for a moment wherever it begins, and
 * for as long as it lasts where it began with that of unrelated services (S-1010).
 * @param burstSinceMs since when several unrelated services are silent for a region; null where they are not
 */
const weighSilence = (
  regions: readonly HeldRegion[],
  burstSinceMs: (region: Region) => number | null,
  intervalSeconds: number,
  nowMs: number,
): readonly HeldRegion[] => {
  const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
  const isFresh = ({ measuredAt }: ProbeReading): boolean => measuredAt >= freshFromMs
  let failing = 0
  let well = 0
  let silent = 0
  for (const { readings, quarantined } of regions) {
    if (quarantined) continue
    if (silentSinceMs(readings) !== null) silent++
    if (readings.some((reading) => reading.verdict === 'down' && isFresh(reading))) failing++
    else if (readings.some((reading) => reading.verdict === 'up' && isFresh(reading))) well++
  }
  if (silent === 0 || failing > well) return regions
  return regions.map((region) => {
    const sinceMs = region.quarantined ? null : silentSinceMs(region.readings)
    if (sinceMs === null) return region
    const burstMs = burstSinceMs(region.region)
    const isOfBurst = burstMs !== null && sinceMs >= burstMs - roundMsOf(intervalSeconds)
    const untilMs = isOfBurst ? Number.POSITIVE_INFINITY : sinceMs + weighMsOf(intervalSeconds)
    return untilMs > nowMs ? { ...region, weighedUntilMs: untilMs } : region
  })
}

/** Since when a region gets no answer; null where it does, or is told of a failure by an answer. */
const silentSinceMs = (readings: readonly ProbeReading[]): number | null => {
  let sinceMs: number | null = null
  for (const { verdict, unanswered = false, failingSinceMs, measuredAt } of readings) {
    if (verdict !== 'down') continue
    if (!unanswered) return null
    sinceMs = Math.min(sinceMs ?? measuredAt, failingSinceMs ?? measuredAt)
  }
  return sinceMs
}
