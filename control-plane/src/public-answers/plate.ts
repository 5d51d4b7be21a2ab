import { plateLevels, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionView } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { median } from './statistics.ts'

/** The response times of a service in one region, with its baseline there. */
export type RegionLatency = {
  region: Region
  /** From the last `up` readings of the region's deciding probe, newest first, without a gap between them. */
  latenciesMs: readonly number[]
  /** The median of the same hour on the last seven days; null without readings from then. */
  baseline: { p50Ms: number; samples: number } | null
}

/** `degraded` is this many times slower than usual. */
const slowRatio = 3
/** The median of this many readings is compared with the baseline, so that one slow answer does not count. */
export const comparedReadings = 3
/** Where so few are known, all of them must be slow. */
const comparedReadingsMin = 2
/** A baseline with fewer samples is ignored. */
const baselineSamplesMin = 30

/**
 * The plate level of a service: its status, or `degraded` if it is up but much slower than its own baseline in most
 * fresh regions whose times are known, if these are at least half (S-1217).
 */
export const plateLevel = (views: readonly RegionView[], latencies: readonly RegionLatency[]): PlateLevel => {
  const status = serviceStatus(views)
  if (status !== 'up') return status
  const fresh = views.filter((view) => view.fresh)
  // a refused region answers no request, so it is none of the slow ones
  const known = fresh.flatMap(({ region, status }) => {
    const own = latencies.find((one) => one.region === region)
    const slow = status === 'up' ? (own === undefined ? null : isSlow(own)) : false
    return slow === null ? [] : [slow]
  })
  const slow = known.filter(Boolean)
  return slow.length * 2 > known.length && known.length * 2 >= fresh.length ? 'degraded' : 'up'
}

/** null: too little was measured, now or before. */
const isSlow = ({ latenciesMs, baseline }: RegionLatency): boolean | null => {
  if (baseline === null || baseline.samples < baselineSamplesMin) return null
  const limitMs = slowRatio * baseline.p50Ms
  if (latenciesMs.length >= comparedReadings) return median(latenciesMs.slice(0, comparedReadings)) >= limitMs
  return latenciesMs.length >= comparedReadingsMin ? Math.min(...latenciesMs) >= limitMs : null
}

/** The worst of the levels; `no_data` for an empty list. */
export const worstLevel = (levels: readonly PlateLevel[]): PlateLevel =>
  plateLevels.find((level) => levels.includes(level)) ?? 'no_data'

/**
 * The level and summary of a stack (S-1218, S-1219). The level is the worst of its members, so that no data
 * is never healthy.
 */
export const rollUp = (levels: readonly PlateLevel[]): { status: PlateLevel; summary: string } => {
  const count = (level: PlateLevel): number => levels.filter((one) => one === level).length
  const failing = count('down') + count('down_in_some_regions') + count('degraded')
  const [silent, blocked] = [count('no_data'), count('blocked')]
  return {
    status: worstLevel(levels),
    summary: [
      `${failing} of ${levels.length} services down or degraded`,
      ...(silent > 0 ? [`${silent} with no data`] : []),
      ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ].join(', '),
  }
}
