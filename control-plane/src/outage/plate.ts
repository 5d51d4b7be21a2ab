import { plateLevels, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionView } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { median } from './statistics.ts'

/** The response times of a service in one region, with its baseline there. */
export type RegionLatency = {
  region: Region
  /** From the fresh `up` readings of the region's deciding probe, newest first. */
  latenciesMs: readonly number[]
  /** The median of the same hour on the last seven days; null without readings from then. */
  baseline: { p50Ms: number; samples: number } | null
}

/** `degraded` is this many times slower than usual. */
const slowRatio = 3
/** The median of this many readings is compared with the baseline, so that one slow answer does not count. */
export const comparedReadings = 3
/** A baseline with fewer samples is ignored. */
const baselineSamplesMin = 30

/**
 * The plate level of a service: its status, or `degraded` if it is up but much slower than its own baseline
 * in most fresh regions (S-1217). A region without enough readings or baseline counts as not slower.
 */
export const plateLevel = (views: readonly RegionView[], latencies: readonly RegionLatency[]): PlateLevel => {
  const status = serviceStatus(views)
  if (status !== 'up') return status
  const fresh = views.filter((view) => view.fresh)
  const slow = fresh.filter(
    ({ region, status }) => status === 'up' && latencies.some((one) => one.region === region && isSlow(one)),
  )
  return slow.length > fresh.length / 2 ? 'degraded' : 'up'
}

const isSlow = ({ latenciesMs, baseline }: RegionLatency): boolean =>
  baseline !== null &&
  baseline.samples >= baselineSamplesMin &&
  latenciesMs.length >= comparedReadings &&
  median(latenciesMs.slice(0, comparedReadings)) >= slowRatio * baseline.p50Ms

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
