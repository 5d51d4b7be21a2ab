import type { CheckStatus, RegionStatus } from '@probe-mesh/contracts/check/check'
import { intermittentOf, nextStatus, statusReason } from './aggregate.ts'
import { staleAfterMs } from './freshness.ts'
import { staleAtMs } from './observe.ts'
import { regionViews, type RegionView } from './region-status.ts'
import type { CheckSchedule, CheckState } from './state.ts'

export type StatusDescription = {
  status: CheckStatus
  statusReason: string | null
  /** ISO 8601; null before the first reading */
  statusSince: string | null
  measuredAt: string | null
  staleAfterSeconds: number
  regionStatuses: RegionStatus[]
  /**
   * Recurring failures: of the readings of the regions that see them, how many failed. Absent without any.
   */
  intermittent?: { failed: number; of: number; since: string }
}

/**
 * The status of a check at `nowMs`: the recorded one while any region is fresh, and `stale` as soon as none
 * is, whether or not the assessor has recorded that yet.
 */
export const describeStatus = (
  state: CheckState,
  schedule: CheckSchedule,
  nowMs: number,
): StatusDescription => {
  const views = regionViews(state.regions, schedule, nowMs)
  const status = nextStatus(state.status, views, 'none', schedule.statusRule)
  const newest = Math.max(0, ...views.map((view) => view.state.measuredAt))
  const staleAfter = staleAfterMs(schedule.intervalSeconds)
  const spell = intermittentOf(views)
  const since = status === state.status ? state.statusSinceMs : staleAtMs(state, schedule)
  return {
    status,
    statusReason: statusReason(status, views, schedule.statusRule),
    statusSince: since === null || newest === 0 ? null : new Date(since).toISOString(),
    measuredAt: newest === 0 ? null : new Date(newest).toISOString(),
    staleAfterSeconds: staleAfter / 1000,
    regionStatuses: views.map(describeRegion),
    ...(spell !== null && {
      intermittent: {
        failed: spell.failed,
        of: spell.of,
        since: new Date(spell.sinceMs).toISOString(),
      },
    }),
  }
}

const describeRegion = ({ region, state, status, fresh }: RegionView): RegionStatus => ({
  region,
  status,
  reason: regionReason(status, state),
  latencyMs: state.latencyMs,
  measuredAt: state.measuredAt === 0 ? null : new Date(state.measuredAt).toISOString(),
  fresh,
  verdict: state.verdict,
  timings: state.timings,
})

const regionReason = (status: RegionStatus['status'], state: RegionView['state']): string | null => {
  if (status !== 'stale' && status !== 'unknown') return state.reason
  const unmeasured = state.unmeasuredReason
  if (unmeasured !== null && state.unmeasuredAt >= state.measuredAt) {
    return `not measured: ${unmeasured}`
  }
  return status === 'stale' ? 'no recent reading' : 'no reading yet'
}
