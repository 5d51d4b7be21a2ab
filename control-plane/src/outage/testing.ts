import type { HeldRegion, ProbeReading, ReadAt, RegionView } from './region-reading.ts'
import { viewRegions } from './region-reading.ts'
import type { ObservedService } from './shared-factors.ts'
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
): ObservedService => ({
  slug,
  name: slug.toUpperCase(),
  factors,
  standing: sinceMs === null ? 'well' : 'failing',
  regions: sinceMs === null ? [] : ['fra', 'iad'],
  sinceMs,
})

/** Response times around a median. */
export const percentilesOf = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})
