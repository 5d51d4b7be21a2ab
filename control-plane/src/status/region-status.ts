import type { RegionStatusName } from '@probe-mesh/contracts/check'
import type { Region } from '@probe-mesh/contracts/regions'
import { staleAfterMs } from './freshness.ts'
import { newRegionState } from './state.ts'
import type { CheckSchedule, RegionState } from './state.ts'

/** One region's evidence as it counts at an instant. */
export type RegionView = {
  region: Region
  state: RegionState
  status: RegionStatusName
  fresh: boolean
}

/** The regions of a check as they stand at `nowMs`; regions it is no longer measured from are gone. */
export const regionViews = (
  regions: Record<Region, RegionState>,
  schedule: CheckSchedule,
  nowMs: number,
): RegionView[] => {
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  return schedule.regions.map((region) => {
    const state = regions[region] ?? newRegionState
    const fresh = state.verdict !== null && nowMs - state.measuredAt <= staleAfter
    return { region, state, fresh, status: regionStatus(state.verdict, fresh) }
  })
}

/** "A region that stops reporting loses its vote": what is not fresh is `stale`, whatever it was. */
const regionStatus = (verdict: RegionState['verdict'], fresh: boolean): RegionStatusName => {
  if (verdict === null) return 'unknown'
  return fresh ? verdict : 'stale'
}
