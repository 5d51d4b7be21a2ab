import type { Check, CheckDetail, Uptime } from '@probe-mesh/contracts/check'
import type { CheckWithState } from '../checks/check-record.ts'
import { heartbeatStatus } from '../heartbeat/describe-heartbeat.ts'
import { describeStatus } from '../status/status.ts'
import type { StatusDescription } from '../status/status.ts'
import type { HeartbeatEvidence } from './describe-heartbeat-check.ts'

/** A check as every route returns it, with its status as it can be said at `nowMs`. */
export const describeCheck = (check: CheckWithState, nowMs: number): Check =>
  toCheck(check, describeByType(check, nowMs).status)

/** A check with its evidence: what was measured where, when, and how long that stays fresh. */
export const describeCheckDetail = (
  check: CheckWithState,
  more: { uptime: Uptime; vantage: CheckDetail['vantage']; heartbeat?: HeartbeatEvidence },
  nowMs: number,
): CheckDetail => {
  const description = describeByType(check, nowMs)
  return {
    ...toCheck(check, description.status),
    statusSince: description.statusSince,
    statusReason: description.statusReason,
    vantage: more.vantage,
    measuredAt: description.measuredAt,
    staleAfterSeconds: description.staleAfterSeconds,
    regionStatuses: description.regionStatuses,
    uptime: more.uptime,
    ...more.heartbeat,
  }
}

/** Nothing probes a heartbeat: its status is the one on record, not what readings say of it now. */
const describeByType = (check: CheckWithState, nowMs: number): StatusDescription => {
  const description = describeStatus(check.state, check, nowMs)
  if (check.type !== 'heartbeat') return description
  const status = heartbeatStatus({ paused: check.paused, status: check.state.status })
  return { ...description, status }
}

const toCheck = (check: CheckWithState, status: Check['status']): Check => ({
  id: check.id,
  name: check.name,
  type: check.type,
  url: check.url,
  target: check.target,
  intervalSeconds: check.intervalSeconds,
  regions: [...check.regions],
  allRegions: check.allRegions,
  paused: check.paused,
  private: check.private,
  ...check.assertions,
  status,
  createdAt: new Date(check.createdAtMs).toISOString(),
  updatedAt: new Date(check.updatedAtMs).toISOString(),
})
