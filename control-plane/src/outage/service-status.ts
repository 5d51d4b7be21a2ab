import type { ServiceStatus } from '@probe-mesh/contracts/answers'
import type { RegionView } from './region-reading.ts'

/** What probes can say of a service that they do measure. */
export type MeasuredStatus = Exclude<ServiceStatus, 'not_covered'>

/**
 * A service's status (contracts.md): "over fresh readings only: none → `no_data`; all up → `up`;
 * all down → `down`; some up and some down → `down_in_some_regions`; all blocked → `blocked`;
 * blocked with up → `up`; blocked with down and none up → `down_in_some_regions`."
 */
export const serviceStatus = (views: readonly RegionView[]): MeasuredStatus => {
  const fresh = views.filter((view) => view.fresh)
  const has = (status: RegionView['status']): boolean =>
    fresh.some((view) => view.status === status)
  if (fresh.length === 0) return 'no_data'
  if (has('down')) return has('up') || has('blocked') ? 'down_in_some_regions' : 'down'
  return has('up') ? 'up' : 'blocked'
}
