import type { Region } from '@probe-mesh/contracts/reading/regions'
import { parseHost } from '@probe-mesh/contracts/target/target'
import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { CatalogIndex } from '../../catalog/catalog-index.ts'
import { allowNothing } from '@probe-mesh/contracts/target/address'
import type { Evidence } from '@probe-mesh/contracts/outage/answers'
import type { Observed } from '../observed.ts'
import { ownNetworkSuspects } from '../own-network.ts'
import type { RegionLatency } from '../plate.ts'
import type { RegionReadings, ProbeReading } from '../region-reading.ts'
import type { ObservedService } from '../shared-factors.ts'
import type { Baselines } from './baselines.ts'
import type { CatalogMemory } from './catalog-memory.ts'
import type { ProbeState } from './probe-state.ts'
import { observeService } from './observed-services.ts'
import type { ResponseTimes } from './response-times.ts'
import { roundMsOf, staleAfterMs, weighMsOf } from '../../status/freshness.ts'

/** The shortest time between two evaluations of the whole catalog. */
const servicesMs = 1_000

/** The catalog memory as answers read it. It is empty until `isReady` returns true. */
export const createObservedCatalog = (capabilities: {
  catalog: CatalogIndex
  memory: CatalogMemory
  baselines: Baselines
  weather: ResponseTimes
  regions: readonly Region[]
  staleAfterMs: number
  isReady: () => boolean
  isQuarantined: (region: Region) => boolean
  /** When several unrelated services went silent in a region together; null if they did not. */
  burstSinceMs: (region: Region) => number | null
  catalogIntervalSeconds: number
  vantage: Evidence['vantage']
  now: () => number
}): Omit<Observed, 'shared'> => {
  const { catalog, memory, baselines, regions, staleAfterMs, vantage, now } = capabilities
  const { isReady, isQuarantined, burstSinceMs, catalogIntervalSeconds } = capabilities
  const empty = regions.map((region) => ({ region, readings: [], inconclusive: [], changed: false }))

  const readingsOf = (slug: string): readonly RegionReadings[] => {
    const stored = isReady() ? memory.readingsOf(slug) : empty
    const marked = stored.map((region) => ({ ...region, quarantined: isQuarantined(region.region) }))
    return markNetworkChecks(marked, burstSinceMs, catalogIntervalSeconds, now())
  }
  const observe = (service: CatalogService, regions: readonly RegionReadings[]): ObservedService => {
    const probesOf = (region: Region) => memory.probesOf(service.slug, region)
    const options = { nowMs: now(), staleAfterMs, vantage }
    return observeService(service, { regions, probesOf }, options)
  }

  const remote = catalog.catalog.services.filter(isRemote)
  /**
   * The services that this machine's own network may make unreachable; empty unless all regions are one
   * machine.
   */
  let suspects: { atMs: number; slugs: ReadonlySet<string> } = { atMs: -Infinity, slugs: new Set() }
  const networkSuspects = (): ReadonlySet<string> => {
    if (vantage !== 'local') return suspects.slugs
    const nowMs = now()
    if (Math.abs(nowMs - suspects.atMs) < servicesMs) return suspects.slugs
    const seen = remote.map((service) => observe(service, readingsOf(service.slug)))
    const slugs = ownNetworkSuspects(seen)
    const isSame = slugs.size === suspects.slugs.size && slugs.isSubsetOf(suspects.slugs)
    if (!isSame) commonVersion += 1
    suspects = { atMs: nowMs, slugs }
    return slugs
  }

  const regionsOf = (slug: string): RegionReadings[] => {
    const ownNetworkSuspected = networkSuspects().has(slug)
    return readingsOf(slug).map((region) => ({ ...region, ownNetworkSuspected }))
  }

  /** The state that all services share, and the number of its changes. */
  let common = { ready: false, baselines: -1, quarantined: -1, bursts: -1 }
  let commonVersion = 0
  const versionOfCommon = (): number => {
    networkSuspects()
    const [ready, version] = [isReady(), baselines.version()]
    const [quarantined, bursts] = [quarantinedBits(regions, isQuarantined), burstsSum(regions, burstSinceMs)]
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

  let cached: { atMs: number; version: number; services: readonly ObservedService[] } | null = null
  const services = (): readonly ObservedService[] => {
    const nowMs = now()
    const version = versionOfCommon()
    const isRecent = cached?.version === version && Math.abs(nowMs - cached.atMs) < servicesMs
    if (cached !== null && isRecent) return cached.services
    const observed = catalog.catalog.services.map((service) => observe(service, regionsOf(service.slug)))
    cached = { atMs: nowMs, version, services: observed }
    return observed
  }

  return {
    regionsOf,
    latenciesOf: (slug) => {
      const checkIds = memory.checkIdsOf(slug)
      return regions.map((region): RegionLatency => {
        const probes = isReady() ? memory.probesOf(slug, region) : []
        const deciding = Math.max(0, probes.findIndex(isFreshAndUp(now() - staleAfterMs)))
        const [probe, checkId] = [probes[deciding] ?? null, checkIds[deciding]]
        return {
          region,
          latenciesMs: unbrokenLatencies(probe, now(), staleAfterMs),
          baseline: checkId === undefined ? null : baselines.of(checkId, region),
        }
      })
    },
    weather: () =>
      capabilities.weather
        .regions()
        .map((region) => ({ ...region, quarantined: isQuarantined(region.region) })),
    services,
    healthOf: (slug) => {
      const service = catalog.bySlug.get(slug)
      if (service === undefined) return { failures: [], upIn: [], goodAtMs: null, failedAtMs: null }
      const { failures, upIn } = observe(service, regionsOf(slug))
      const good = readingsOf(slug).flatMap(({ readings }) =>
        readings.flatMap(({ verdict, measuredAt }) => (verdict === 'up' ? [measuredAt] : [])),
      )
      const failed = regions
        .flatMap((region) => memory.probesOf(slug, region))
        .map((probe) => probe?.confirmedDownAt ?? -Infinity)
      return { failures, upIn, goodAtMs: latestOf(good), failedAtMs: latestOf(failed) }
    },
    versionOf: (slug) => memory.versionOf(slug) + versionOfCommon(),
  }
}

/** One bit per region. It runs for every answer, so it allocates nothing. */
const quarantinedBits = (regions: readonly Region[], isQuarantined: (region: Region) => boolean): number => {
  let bits = 0
  for (const region of regions) bits = bits * 2 + (isQuarantined(region) ? 1 : 0)
  return bits
}

/** A number that changes with the bursts. */
const burstsSum = (regions: readonly Region[], burstSinceMs: (region: Region) => number | null): number => {
  let sum = 0
  for (const [n, region] of regions.entries()) sum += (n + 1) * (burstSinceMs(region) ?? 0)
  return sum
}

const latestOf = (times: readonly number[]): number | null => {
  const latest = Math.max(...times)
  return latest === -Infinity ? null : latest
}

/**
 * Whether the service is outside this machine and its local network. Silence of local services is a real
 * failure.
 */
const isRemote = ({ probes }: CatalogService): boolean =>
  probes.every(({ url }) => URL.canParse(url) && parseHost(new URL(url).hostname, { allow: allowNothing }).ok)

/** Matches the deciding probe of an up region: the first one that is fresh and up. */
const isFreshAndUp =
  (fromMs: number) =>
  (probe: ProbeState | null): boolean =>
    probe !== null && probe.newest.verdict === 'up' && probe.newest.measuredAt >= fromMs

/**
 * The last latencies of a probe, newest first: the newest is fresh, and each was when the next one was measured. So they
 * are as many at every interval and with every phase.
 */
const unbrokenLatencies = (probe: ProbeState | null, nowMs: number, staleAfterMs: number): number[] => {
  let untilMs = nowMs
  const unbroken: number[] = []
  for (const { at, latencyMs } of probe?.latencies ?? []) {
    if (untilMs - at > staleAfterMs) break
    unbroken.push(latencyMs)
    untilMs = at
  }
  return unbroken
}

/**
 * Marks silent regions of a service whose own network may be at fault, with the end of that check. If at most
 * as many regions are silent as find the service up, the silent regions' networks may have failed. The check
 * is short, but lasts as long as the silence if unrelated services went silent at the same time (S-1010).
 * @param burstSinceMs when several unrelated services went silent in a region together; null if they did not
 */
const markNetworkChecks = (
  regions: readonly RegionReadings[],
  burstSinceMs: (region: Region) => number | null,
  intervalSeconds: number,
  nowMs: number,
): readonly RegionReadings[] => {
  const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
  const isFresh = ({ measuredAt }: ProbeReading): boolean => measuredAt >= freshFromMs
  let failing = 0
  let up = 0
  let silent = 0
  for (const { readings, quarantined } of regions) {
    if (quarantined) continue
    if (silentSinceMs(readings) !== null) silent++
    if (readings.some((reading) => reading.verdict === 'down' && isFresh(reading))) failing++
    else if (readings.some((reading) => reading.verdict === 'up' && isFresh(reading))) up++
  }
  if (silent === 0 || failing > up) return regions
  return regions.map((region) => {
    const sinceMs = region.quarantined ? null : silentSinceMs(region.readings)
    if (sinceMs === null) return region
    const burstMs = burstSinceMs(region.region)
    const isOfBurst = burstMs !== null && sinceMs >= burstMs - roundMsOf(intervalSeconds)
    const untilMs = isOfBurst ? Number.POSITIVE_INFINITY : sinceMs + weighMsOf(intervalSeconds)
    return untilMs > nowMs ? { ...region, checkingNetworkUntilMs: untilMs } : region
  })
}

/** Since when a region gets no answer; null if it gets one, even a failing one. */
const silentSinceMs = (readings: readonly ProbeReading[]): number | null => {
  let sinceMs: number | null = null
  for (const { verdict, unanswered = false, failingSinceMs, measuredAt } of readings) {
    if (verdict !== 'down') continue
    if (!unanswered) return null
    sinceMs = Math.min(sinceMs ?? measuredAt, failingSinceMs ?? measuredAt)
  }
  return sinceMs
}
