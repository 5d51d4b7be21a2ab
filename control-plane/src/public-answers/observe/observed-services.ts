import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { listedFactors, healthOf, type Factor, type ObservedService } from '../shared-factors.ts'
import { dnsProviderOf } from '../dns-provider.ts'
import { failureModeOf, type RegionFailure } from '../failure-mode.ts'
import { viewRegions, type RegionReadings, type ReadOptions, type RegionView } from '../region-reading.ts'
import { failingSinceMs, isUnconfirmed, type ProbeState } from './probe-state.ts'

/** The readings of a service as answers read them, and the states of its probes. */
type ServiceReadings = {
  regions: readonly RegionReadings[]
  probesOf(region: Region): readonly (ProbeState | null)[]
}

/** The current state of a service, for the detection of shared incidents. */
export const observeService = (
  service: CatalogService,
  { regions, probesOf }: ServiceReadings,
  options: ReadOptions,
): ObservedService => {
  const views = viewRegions(regions, options)
  const health = healthOf(views)
  const failures = views.flatMap((view) => failureIn(view, probesOf(view.region), options) ?? [])
  return {
    slug: service.slug,
    name: service.name,
    vendor: service.vendor,
    factors: factorsOf(
      service,
      regions.map(({ region }) => probesOf(region)),
    ),
    health,
    regions: failures.map(({ region }) => region),
    sinceMs:
      health === 'failing' && failures.length > 0
        ? Math.min(...failures.map(({ sinceMs }) => sinceMs))
        : null,
    failures,
    upIn: views.flatMap(({ fresh, status, region }) => (fresh && status === 'up' ? [region] : [])),
    ...(views.some(({ ownNetworkSuspected }) => ownNetworkSuspected) && { ownNetworkSuspected: true }),
  }
}

/** The failure of a service in a region; null if it does not fail. */
const failureIn = (
  { region, status, fresh, reading }: RegionView,
  probes: readonly (ProbeState | null)[],
  options: ReadOptions,
): RegionFailure | null => {
  if (!fresh || status !== 'down' || reading === null) return null
  const since = probes.flatMap((probe) =>
    probe !== null && counts(probe, options) ? (failingSinceMs(probe) ?? []) : [],
  )
  return {
    region,
    sinceMs: since.length > 0 ? Math.min(...since) : reading.measuredAt,
    mode: failureModeOf(reading.cause),
    mark: reading.mark ?? null,
  }
}

/** Whether the failure of a probe counts: it is fresh and confirmed, and the probe was up there before. */
const counts = (probe: ProbeState, { nowMs, staleAfterMs }: ReadOptions): boolean =>
  nowMs - probe.newest.measuredAt <= staleAfterMs && probe.goodAt > -Infinity && !isUnconfirmed(probe)

/**
 * The factors of a service. Observations of its probes override the catalog. Each probe may have its own CDN
 * and DNS zone; an outage of any of them fails the service.
 * @param probes by region and probe
 */
export const factorsOf = (
  service: CatalogService,
  probes: readonly (readonly (ProbeState | null)[])[],
): Factor[] => [
  ...cdnsOf(probes, service.cdn).map((name): Factor => ({ kind: 'cdn', name })),
  ...listedFactors(service).filter(({ kind }) => kind === 'cloud_region'),
  ...dnsOf(probes, service.dns).map((name): Factor => ({ kind: 'dns', name })),
]

type Probes = readonly (readonly (ProbeState | null)[])[]

const cdnsOf = (probes: Probes, listed: string | null): string[] => {
  const seen = newestOfEach(probes, ({ cdn }) => cdn).flatMap((name) => name ?? [])
  return seen.length > 0 ? distinct(seen) : listed === null ? [] : [listed]
}

/** A zone with several providers has no DNS factor: one of them cannot take it down alone. */
const dnsOf = (probes: Probes, listed: string | null): string[] => {
  const seen = newestOfEach(probes, ({ nameServers }) => nameServers)
    .map(dnsProviderOf)
    .filter(({ kind }) => kind !== 'unknown')
  if (seen.length === 0) return listed === null ? [] : [listed]
  return distinct(seen.flatMap((provider) => (provider.kind === 'one' ? provider.slug : [])))
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)].toSorted()

/** The newest observation of each probe, over all regions. */
const newestOfEach = <T>(
  probes: Probes,
  observationOf: (probe: ProbeState) => { at: number; value: T } | null,
): T[] => {
  const newest = new Map<number, { at: number; value: T }>()
  for (const region of probes) {
    for (const [index, probe] of region.entries()) {
      const found = probe === null ? null : observationOf(probe)
      if (found !== null && found.at > (newest.get(index)?.at ?? -Infinity)) newest.set(index, found)
    }
  }
  return [...newest.values()].map(({ value }) => value)
}
