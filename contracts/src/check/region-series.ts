import { z } from 'zod'
import { CheckParams } from './check.ts'
import { AnyRegion } from '../reading/regions.ts'
import { read, type Route } from '../schema/route.ts'
import { Instant } from '../schema/text.ts'

/** The ranges of a chart. */
export const regionSeriesSpanSecondsMin = 300
export const regionSeriesSpanSecondsMax = 90 * 86_400
/** The step is the shortest one with at most this many points; alignment may add one. */
export const regionSeriesPointsMax = 360

const QueryInstant = z.iso
  .datetime({ offset: true, message: 'must be an ISO 8601 time, such as 2026-11-20T12:00:00.000Z' })
  .transform((text) => Date.parse(text))

/** The last 24 hours by default. */
const RegionSeriesQuery = z.strictObject({ from: QueryInstant.optional(), to: QueryInstant.optional() })

const latencies = z.array(z.number().nullable())
const counts = z.array(z.int())

/**
 * Latency of a check by step, for charts. Every list has one entry per step of [from, to), oldest first: entry n is
 * of `stepSeconds` from `from` plus n times `stepSeconds`. Latency is of up readings; null without any.
 */
export const RegionSeries = z.object({
  checkId: z.string(),
  from: Instant,
  to: Instant,
  stepSeconds: z.int(),
  /** Of the whole time, over all regions; null without an up reading. */
  whole: z.object({ p50Ms: z.number().nullable(), p95Ms: z.number().nullable() }),
  all: z.object({
    p50Ms: latencies,
    p95Ms: latencies,
    p99Ms: latencies,
    up: counts,
    down: counts,
    blocked: counts,
    unmeasured: counts,
  }),
  /** The regions of the check, and former ones with readings in this time. */
  regions: z.array(z.object({ region: AnyRegion, p50Ms: latencies, down: counts })),
})
export type RegionSeries = z.infer<typeof RegionSeries>

export const regionSeriesRoutes = {
  getRegionSeries: read({
    path: '/checks/:id/region-series',
    summary: 'Latency by region and over all regions, in steps that suit a chart',
    params: CheckParams,
    query: RegionSeriesQuery,
    output: RegionSeries,
    codes: ['SV-9002'],
  }),
} as const satisfies Record<string, Route>
