import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { listedFactors } from './shared-factors.ts'
import { signOf } from './failure-sign.ts'
import type { FailureSign } from './failure-sign.ts'
import type { HeldRegion, ProbeReading, ReadAt, RegionView } from './region-reading.ts'
import { viewRegions } from './region-reading.ts'
import type { Factor, ObservedService } from './shared-factors.ts'
import type { Percentiles } from './weather.ts'

export const t0 = Date.parse('2026-11-20T12:00:00.000Z')
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

export const at = (nowMs: number = t0): ReadAt => ({
  nowMs,
  staleAfterMs: 180_000,
  vantage: 'regional',
})

export const codes = ['iad', 'sjc', 'fra', 'nrt', 'syd', 'gru', 'lhr', 'bom', 'sin', 'jnb']

/**
 * `silent` holds nothing, `old` holds a reading that is no longer fresh, `lying` is quarantined.
 */
export type Seen = 'up' | 'down' | 'blocked' | 'silent' | 'old' | 'lying'

export const readingOf = (
  verdict: ProbeReading['verdict'],
  more: Partial<ProbeReading> = {},
): ProbeReading => ({
  verdict,
  reason: verdict === 'up' ? null : `${verdict} for the test`,
  latencyMs: 20,
  measuredAt: t0 - 10_000,
  ...more,
})

/** Regions in the order of `codes`, each as it was seen. */
export const heldAs = (seen: readonly Seen[]): HeldRegion[] =>
  seen.map((one, index) => ({
    region: codes[index] ?? 'zzz',
    readings: readingsAs(one),
    quarantined: one === 'lying',
  }))

const readingsAs = (seen: Seen): ProbeReading[] => {
  if (seen === 'silent') return []
  if (seen === 'old') return [readingOf('up', { measuredAt: t0 - hourMs })]
  return [readingOf(seen === 'lying' ? 'down' : seen)]
}

export const viewsOf = (...seen: Seen[]): RegionView[] => viewRegions(heldAs(seen), at())

/** A catalog service that is well, or fails since an instant. */
export const serviceOf = (
  slug: string,
  factors: ObservedService['factors'],
  sinceMs: number | null = null,
): ObservedService => {
  const regions = sinceMs === null ? [] : ['fra', 'iad']
  const failure = { sinceMs: sinceMs ?? 0, sign: signAs(factors), mark: null }
  return {
    slug,
    name: slug.toUpperCase(),
    vendor: null,
    factors,
    standing: sinceMs === null ? 'well' : 'failing',
    regions,
    sinceMs,
    failures: regions.map((region) => ({ region, ...failure })),
    wellIn: ['fra', 'iad'].filter((region) => !regions.includes(region)),
  }
}

/** As the first of its factors would have it fail. */
const signAs = ([first]: ObservedService['factors']): FailureSign =>
  first?.kind === 'dns' ? 'name' : 'silent'

/** Response times around a median. */
export const percentilesOf = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})

/** How a service of the catalog fails: everywhere since `t0` with a 503, where nothing else is said. */
export type FailedAs = {
  cause?: string
  mark?: string | null
  regions?: readonly string[]
  sinceMs?: number
}

const usualRegions = ['fra', 'iad', 'nrt', 'sjc']

/** A service as the catalog lists it, well or failing. */
export const observedAs = (service: CatalogService, how: FailedAs | null): ObservedService => {
  const { cause = 'status_mismatch', mark = null, regions = usualRegions } = how ?? {}
  const sinceMs = how === null ? null : (how.sinceMs ?? t0)
  const down = how === null ? [] : regions
  return {
    slug: service.slug,
    name: service.name,
    vendor: service.vendor,
    factors: listedFactors(service),
    standing: down.length === 0 ? 'well' : down.length === 1 ? 'unknown' : 'failing',
    regions: [...down],
    sinceMs: down.length > 1 ? sinceMs : null,
    failures: down.map((region) => ({ region, sinceMs: sinceMs ?? t0, sign: signOf(cause), mark })),
    wellIn: usualRegions.filter((region) => !down.includes(region)),
  }
}

/** Services `prefix-0` and so on, the first `down` of them failing since an instant. */
export const group = (
  prefix: string,
  count: number,
  down: number,
  factors: Factor[],
  sinceMs = t0,
): ObservedService[] =>
  Array.from({ length: count }, (_, index) =>
    serviceOf(`${prefix}-${index}`, factors, index < down ? sinceMs : null),
  )

/** The same services failing in another way. */
export const as =
  (sign: FailureSign, mark: string | null = null) =>
  (one: ObservedService): ObservedService => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, sign, mark })),
  })
