import type { CatalogService } from '@probe-mesh/contracts/outage/catalog'
import { listedFactors, type Factor, type ObservedService } from './shared-factors.ts'
import { failureModeOf, type FailureMode } from './failure-mode.ts'
import {
  viewRegions,
  type RegionReadings,
  type ProbeReading,
  type ReadOptions,
  type RegionView,
} from './region-reading.ts'
import type { Percentiles } from './weather.ts'

export const t0 = Date.parse('2026-11-20T12:00:00.000Z')
export const minuteMs = 60_000
export const hourMs = 60 * minuteMs

export const optionsAt = (nowMs: number = t0): ReadOptions => ({
  nowMs,
  staleAfterMs: 180_000,
  vantage: 'regional',
})

export const codes = ['iad', 'sjc', 'fra', 'nrt', 'syd', 'gru', 'lhr', 'bom', 'sin', 'jnb']

/** `missing` has no reading; `stale` has an old one. */
export type RegionCase = 'up' | 'down' | 'blocked' | 'missing' | 'stale' | 'quarantined'

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

/** Regions in the order of `codes`, one per case. */
export const regionsAs = (cases: readonly RegionCase[]): RegionReadings[] =>
  cases.map((one, index) => ({
    region: codes[index] ?? 'zzz',
    readings: readingsFor(one),
    quarantined: one === 'quarantined',
  }))

const readingsFor = (one: RegionCase): ProbeReading[] => {
  if (one === 'missing') return []
  if (one === 'stale') return [readingOf('up', { measuredAt: t0 - hourMs })]
  return [readingOf(one === 'quarantined' ? 'down' : one)]
}

export const viewsOf = (...cases: RegionCase[]): RegionView[] => viewRegions(regionsAs(cases), optionsAt())

/** A catalog service that is healthy, or fails since an instant. */
export const serviceOf = (
  slug: string,
  factors: ObservedService['factors'],
  sinceMs: number | null = null,
): ObservedService => {
  const regions = sinceMs === null ? [] : ['fra', 'iad']
  const failure = { sinceMs: sinceMs ?? 0, mode: modeFor(factors), mark: null }
  return {
    slug,
    name: slug.toUpperCase(),
    vendor: null,
    factors,
    health: sinceMs === null ? 'healthy' : 'failing',
    regions,
    sinceMs,
    failures: regions.map((region) => ({ region, ...failure })),
    upIn: ['fra', 'iad'].filter((region) => !regions.includes(region)),
  }
}

/** The failure mode that the first factor causes. */
const modeFor = ([first]: ObservedService['factors']): FailureMode =>
  first?.kind === 'dns' ? 'dns' : 'no_answer'

/** Response times with this median. */
export const percentilesOf = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})

/** How a catalog service fails; by default with a wrong status in all regions since `t0`. */
export type FailureCase = {
  cause?: string
  mark?: string | null
  regions?: readonly string[]
  sinceMs?: number
}

const usualRegions = ['fra', 'iad', 'nrt', 'sjc']

/** A service with the factors of the catalog, healthy (null) or failing. */
export const observedAs = (service: CatalogService, failure: FailureCase | null): ObservedService => {
  const { cause = 'status_mismatch', mark = null, regions = usualRegions } = failure ?? {}
  const sinceMs = failure === null ? null : (failure.sinceMs ?? t0)
  const down = failure === null ? [] : regions
  return {
    slug: service.slug,
    name: service.name,
    vendor: service.vendor,
    factors: listedFactors(service),
    health: down.length === 0 ? 'healthy' : down.length === 1 ? 'unknown' : 'failing',
    regions: [...down],
    sinceMs: down.length > 1 ? sinceMs : null,
    failures: down.map((region) => ({ region, sinceMs: sinceMs ?? t0, mode: failureModeOf(cause), mark })),
    upIn: usualRegions.filter((region) => !down.includes(region)),
  }
}

/** Services `prefix-0`, `prefix-1` and so on. The first `down` of them fail since an instant. */
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

/** The service with another failure mode. */
export const withMode =
  (mode: FailureMode, mark: string | null = null) =>
  (one: ObservedService): ObservedService => ({
    ...one,
    failures: one.failures.map((failure) => ({ ...failure, mode, mark })),
  })
