import type { Region } from '@probe-mesh/contracts/regions'
import type { CatalogIndex } from '../catalog/catalog-index.ts'
import type { Observed } from '../outage/observed.ts'
import type { RegionPace } from '../outage/plate.ts'
import type { HeldRegion } from '../outage/region-reading.ts'
import type { ObservedService } from '../outage/shared-factors.ts'
import type { Baselines } from './baselines.ts'
import type { CatalogMemory } from './catalog-memory.ts'
import type { HeldProbe } from './held-probe.ts'
import { observeService } from './observed-services.ts'
import { weighSilence } from './weigh-silence.ts'
import type { WeatherBook } from './weather-book.ts'

/** The catalog is looked at as a whole at most this often. */
const servicesMs = 1_000

/** Memory, as answers read it: nothing of it while `isReady` says no. */
export const createObservedCatalog = (capabilities: {
  catalog: CatalogIndex
  memory: CatalogMemory
  baselines: Baselines
  weather: WeatherBook
  regions: readonly Region[]
  staleAfterMs: number
  isReady: () => boolean
  isQuarantined: (region: Region) => boolean
  /** Since when several unrelated services are silent for a region; null where they are not. */
  burstSinceMs: (region: Region) => number | null
  catalogIntervalSeconds: number
  now: () => number
}): Omit<Observed, 'shared'> => {
  const { catalog, memory, baselines, regions, staleAfterMs, now } = capabilities
  const { isReady, isQuarantined, burstSinceMs, catalogIntervalSeconds } = capabilities
  const silent = regions.map((region) => ({
    region,
    readings: [],
    unproven: false,
    changed: false,
    unmeasured: null,
  }))

  const regionsOf = (slug: string): readonly HeldRegion[] => {
    const held = isReady() ? memory.readingsOf(slug) : silent
    const counted = held.map((region) => ({ ...region, quarantined: isQuarantined(region.region) }))
    return weighSilence(counted, burstSinceMs, catalogIntervalSeconds, now())
  }

  /** What concerns every service, and how often it changed. */
  let common = { ready: false, baselines: -1, quarantined: -1, bursts: -1 }
  let commonVersion = 0
  const versionOfCommon = (): number => {
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
    const how = { nowMs, staleAfterMs, vantage: 'regional' } as const
    const observed = catalog.catalog.services.map((service) =>
      observeService(
        service,
        {
          regions: regionsOf(service.slug),
          probesOf: (region) => memory.probesOf(service.slug, region),
        },
        how,
      ),
    )
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
    versionOf: (slug) => memory.versionOf(slug) + versionOfCommon(),
  }
}

/** Of a region that is up the first probe that is speaks; a slower one beside it does not. */
const isFreshAndUp =
  (fromMs: number) =>
  (probe: HeldProbe | null): boolean =>
    probe !== null && probe.newest.verdict === 'up' && probe.newest.measuredAt >= fromMs

const freshLatencies = (probe: HeldProbe | null, fromMs: number): number[] =>
  probe === null
    ? []
    : probe.paces.flatMap(({ at, latencyMs }) => (at >= fromMs ? [latencyMs] : []))
