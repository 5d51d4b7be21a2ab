import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { staleAfterMs } from './freshness.ts'
import { comesAndGoes, mayComeBack } from './spell.ts'
import { newRegionState } from './state.ts'
import type { CheckSchedule, RegionState } from './state.ts'

/** One region's evidence as it counts at an instant. */
export type RegionView = {
  region: Region
  state: RegionState
  status: RegionStatusName
  fresh: boolean
  /** Its failures keep coming back. */
  comesAndGoes: boolean
  /** It failed so shortly before that it may again. */
  mayComeBack: boolean
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
    const fresh = nowMs <= (countsUntilMs(state, staleAfter) ?? Number.NEGATIVE_INFINITY)
    const { spell } = state
    return {
      region,
      state,
      fresh,
      status: regionStatus(state.verdict, fresh),
      comesAndGoes: comesAndGoes(spell, schedule.intervalSeconds, nowMs),
      mayComeBack: mayComeBack(spell, schedule.intervalSeconds, nowMs),
    }
  })
}

/** The last instant at which what a region measured counts; null where it has measured nothing. */
export const countsUntilMs = (state: RegionState, staleAfter: number): number | null => {
  if (state.verdict === null) return null
  const agesAt = state.measuredAt + staleAfter
  const withdrawnAt = state.withdrawnAt ?? null
  return withdrawnAt === null ? agesAt : Math.min(agesAt, withdrawnAt - 1)
}

/** A region that stops reporting loses its vote (S-902): what is not fresh is `stale`, whatever it was. */
const regionStatus = (verdict: RegionState['verdict'], fresh: boolean): RegionStatusName => {
  if (verdict === null) return 'unknown'
  return fresh ? verdict : 'stale'
}
