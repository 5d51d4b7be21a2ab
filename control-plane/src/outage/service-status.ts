import type { ServiceStatus } from '@probe-mesh/contracts/outage/answers'
import { failingAtOnce } from '../status/aggregate.ts'
import type { RegionView } from './region-reading.ts'

/** What probes can say of a service that they do measure. */
export type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/**
 * A service's status, over its fresh readings only (S-1203, S-1204).
 */
export const serviceStatus = (views: readonly RegionView[]): MeasuredStatus => {
  const fresh = views.filter((view) => view.fresh)
  const has = (status: RegionView['status']): boolean =>
    fresh.some((view) => view.status === status)
  if (fresh.length === 0) return 'no_data'
  if (has('down')) {
    const isEverywhere = !has('up') && !has('blocked') && isAtOnce(fresh)
    return isEverywhere ? 'down' : 'down_in_some_regions'
  }
  return has('up') ? 'up' : 'blocked'
}

/** Whether all of these regions failed at one time, as far as their times are known. */
const isAtOnce = (failing: readonly RegionView[]): boolean => {
  const readings = failing.flatMap(({ reading }) => reading ?? [])
  const runs = readings.map(({ failingSinceMs = 0, measuredAt, roundAtMs = null }) => ({
    sinceMs: failingSinceMs,
    untilMs: measuredAt,
    roundAtMs,
  }))
  const rounds = readings.flatMap(({ roundAtMs }) => roundAtMs ?? [])
  return failingAtOnce(runs, rounds) === failing.length
}
