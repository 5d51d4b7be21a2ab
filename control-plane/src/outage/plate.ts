import { plateLevels } from '@probe-mesh/contracts/outage/answers'
import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { RegionView } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { median } from './statistics.ts'

/** How fast a service answers in one region, beside what is usual there. */
export type RegionPace = {
  region: Region
  /** Of the fresh `up` readings of the probe that speaks for the region, newest first. */
  latenciesMs: readonly number[]
  /** The median of the same hour on the last seven days; null where nothing was measured then. */
  baseline: { p50Ms: number; samples: number } | null
}

/** `degraded` is this many times slower than usual. */
const slowRatio = 3
/** A pace is the median of this many readings: one slow answer is none. */
export const pacedReadings = 3
/** Below this there is no baseline. */
const baselineSamplesMin = 30

/**
 * A service's level on a plate: its status, and `degraded` when it is up, but much slower than usual of
 * itself in most fresh regions (S-1217). A region
 * without enough readings or baseline counts as one that is not slower.
 */
export const plateLevel = (views: readonly RegionView[], paces: readonly RegionPace[]): PlateLevel => {
  const status = serviceStatus(views)
  if (status !== 'up') return status
  const fresh = views.filter((view) => view.fresh)
  const slow = fresh.filter(
    ({ region, status }) => status === 'up' && paces.some((pace) => pace.region === region && isSlow(pace)),
  )
  return slow.length > fresh.length / 2 ? 'degraded' : 'up'
}

const isSlow = ({ latenciesMs, baseline }: RegionPace): boolean =>
  baseline !== null &&
  baseline.samples >= baselineSamplesMin &&
  latenciesMs.length >= pacedReadings &&
  median(latenciesMs.slice(0, pacedReadings)) >= slowRatio * baseline.p50Ms

/** The worst of some levels; `no_data` of none. */
export const worstLevel = (levels: readonly PlateLevel[]): PlateLevel =>
  plateLevels.find((level) => levels.includes(level)) ?? 'no_data'

/**
 * A stack from the levels of its members (S-1218, S-1219): its own level is the worst of theirs, so
 * that no data is never healthy, and it reads "N of M services down or degraded" with ", K with no
 * data" and ", B blocked" when there are any.
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
