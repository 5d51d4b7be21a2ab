import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { listedFactors, standingOf } from '../shared-factors.ts'
import { dnsProviderOf } from '../dns-provider.ts'
import { signOf } from '../failure-sign.ts'
import type { RegionFailure } from '../failure-sign.ts'
import { viewRegions } from '../region-reading.ts'
import type { HeldRegion, ReadAt, RegionView } from '../region-reading.ts'
import type { Factor, ObservedService } from '../shared-factors.ts'
import { failingSinceMs, isSuspect } from './held-probe.ts'
import type { HeldProbe } from './held-probe.ts'

/** What is held of a service: as answers read it, and the probes below that. */
type HeldService = {
  regions: readonly HeldRegion[]
  probesOf(region: Region): readonly (HeldProbe | null)[]
}

/** A service as its probes see it, for the inference of shared incidents. */
export const observeService = (
  service: CatalogService,
  { regions, probesOf }: HeldService,
  how: ReadAt,
): ObservedService => {
  const views = viewRegions(regions, how)
  const standing = standingOf(views)
  const failures = views.flatMap((view) => failureIn(view, probesOf(view.region), how) ?? [])
  return {
    slug: service.slug,
    name: service.name,
    vendor: service.vendor,
    factors: factorsOf(
      service,
      regions.map(({ region }) => probesOf(region)),
    ),
    standing,
    regions: failures.map(({ region }) => region),
    sinceMs:
      standing === 'failing' && failures.length > 0
        ? Math.min(...failures.map(({ sinceMs }) => sinceMs))
        : null,
    failures,
    wellIn: views.flatMap(({ fresh, status, region }) => (fresh && status === 'up' ? [region] : [])),
    ...(views.some(({ doubted }) => doubted) && { doubted: true }),
  }
}

/** How a service fails in a region; null where it does not. */
const failureIn = (
  { region, status, fresh, reading }: RegionView,
  probes: readonly (HeldProbe | null)[],
  how: ReadAt,
): RegionFailure | null => {
  if (!fresh || status !== 'down' || reading === null) return null
  const since = probes.flatMap((probe) =>
    probe !== null && counts(probe, how) ? (failingSinceMs(probe) ?? []) : [],
  )
  return {
    region,
    sinceMs: since.length > 0 ? Math.min(...since) : reading.measuredAt,
    sign: signOf(reading.cause),
    mark: reading.mark ?? null,
  }
}

/** Fresh, was good there at some time, and was asked again: nothing else tells of an outage. */
const counts = (probe: HeldProbe, { nowMs, staleAfterMs }: ReadAt): boolean =>
  nowMs - probe.newest.measuredAt <= staleAfterMs && probe.goodAt > -Infinity && !isSuspect(probe)

/**
 * What a service stands on. What its probes have seen wins over what the catalog says, and each
 * probe may have a CDN and a zone of its own: an outage of either fails the service.
 * @param probes by region, by probe
 */
export const factorsOf = (
  service: CatalogService,
  probes: readonly (readonly (HeldProbe | null)[])[],
): Factor[] => [
  ...cdnsOf(probes, service.cdn).map((name): Factor => ({ kind: 'cdn', name })),
  ...listedFactors(service).filter(({ kind }) => kind === 'cloud_region'),
  ...dnsOf(probes, service.dns).map((name): Factor => ({ kind: 'dns', name })),
]

type Probes = readonly (readonly (HeldProbe | null)[])[]

const cdnsOf = (probes: Probes, listed: string | null): string[] => {
  const seen = newestOfEach(probes, ({ cdn }) => cdn).flatMap((name) => name ?? [])
  return seen.length > 0 ? distinct(seen) : listed === null ? [] : [listed]
}

/** A zone that several providers share has none: one of them alone does not fail it. */
const dnsOf = (probes: Probes, listed: string | null): string[] => {
  const seen = newestOfEach(probes, ({ nameServers }) => nameServers)
    .map(dnsProviderOf)
    .filter(({ kind }) => kind !== 'unknown')
  if (seen.length === 0) return listed === null ? [] : [listed]
  return distinct(seen.flatMap((provider) => (provider.kind === 'one' ? provider.slug : [])))
}

const distinct = (names: readonly string[]): string[] => [...new Set(names)].toSorted()

/** What was noted last of each probe, in whichever region. */
const newestOfEach = <T>(
  probes: Probes,
  noted: (probe: HeldProbe) => { at: number; value: T } | null,
): T[] => {
  const newest = new Map<number, { at: number; value: T }>()
  for (const region of probes) {
    for (const [index, probe] of region.entries()) {
      const found = probe === null ? null : noted(probe)
      if (found !== null && found.at > (newest.get(index)?.at ?? -Infinity)) newest.set(index, found)
    }
  }
  return [...newest.values()].map(({ value }) => value)
}
