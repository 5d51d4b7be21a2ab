import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { staleAfterMs } from './freshness.ts'
import { comesAndGoes, mayComeBack } from './spell.ts'
import { newRegionState, type CheckSchedule, type RegionState } from './state.ts'
import { exceededMs, failsEnough } from './status-rule.ts'

/** A region's evidence at an instant. */
export type RegionView = {
  region: Region
  state: RegionState
  status: RegionStatusName
  fresh: boolean
  /** Its failures keep coming back. */
  comesAndGoes: boolean
  /** It failed so recently that it may fail again. */
  mayComeBack: boolean
  /** While it fails: in enough slots in a row to count for `down`. */
  failsEnough: boolean
  /** The latency that its last two readings exceeded; null if it is not slow. */
  slowerThanMs: number | null
}

/** The regions of a check at `nowMs`; former regions are left out. */
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
      failsEnough: failsEnough(schedule.statusRule, state),
      slowerThanMs: exceededMs(schedule.statusRule, state),
    }
  })
}

/** The last instant at which the reading of a region counts; null if it has none. */
export const countsUntilMs = (state: RegionState, staleAfter: number): number | null => {
  if (state.verdict === null) return null
  const agesAt = state.measuredAt + staleAfter
  const withdrawnAt = state.withdrawnAt ?? null
  return withdrawnAt === null ? agesAt : Math.min(agesAt, withdrawnAt - 1)
}

/**
 * A region that stops reporting loses its vote (S-902): without a fresh reading it is `stale`, whatever its
 * verdict was.
 */
const regionStatus = (verdict: RegionState['verdict'], fresh: boolean): RegionStatusName => {
  if (verdict === null) return 'unknown'
  return fresh ? verdict : 'stale'
}
