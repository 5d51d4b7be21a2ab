import type { CheckType } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import { regionViews, type RegionView } from '../status/region-status.ts'
import type { CheckState } from '../status/state.ts'

/** A check for alerts, with its last recorded state. */
export type WatchedCheck = {
  id: string
  accountId: string
  type: CheckType
  name: string
  url: string | null
  target: string | null
  regions: readonly Region[]
  intervalSeconds: number
  paused: boolean
  state: CheckState
}

/** The regions where the check fails, where it is up, and where there is no data, with the reason. */
export type Evidence = {
  failing: Region[]
  up: Region[]
  blocked: Region[]
  notMeasured: { region: Region; reason: string }[]
}

/** The evidence at `nowMs`. A heartbeat is not probed, so it has none. */
export const evidenceOf = (check: WatchedCheck, nowMs: number): Evidence => {
  const views = check.type === 'heartbeat' ? [] : regionViews(check.state.regions, check, nowMs)
  // a failure that is not confirmed yet counts too: the flip may rest on it
  const statusNow = ({ status, state }: RegionView): string =>
    status === 'up' && (state.suspect ?? null) !== null ? 'down' : status
  const regionsThat = (status: string): Region[] =>
    views.filter((view) => statusNow(view) === status).map((view) => view.region)
  return {
    failing: regionsThat('down'),
    up: regionsThat('up'),
    blocked: regionsThat('blocked'),
    notMeasured: views
      .filter((view) => !view.fresh)
      .map(({ region, status, state }) => {
        const unmeasured = state.unmeasuredAt >= state.measuredAt ? state.unmeasuredReason : null
        const silent = status === 'unknown' ? 'no reading yet' : 'no recent reading'
        return { region, reason: unmeasured ?? silent }
      }),
  }
}
