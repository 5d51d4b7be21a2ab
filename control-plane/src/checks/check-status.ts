import { heartbeatStatus } from '../heartbeats/describe-heartbeat.ts'
import { describeStatus } from '../status/status.ts'
import type { StatusDescription } from '../status/status.ts'
import type { CheckWithState } from '../check-record/check-record.ts'

/**
 * A check's status as it can be said at `nowMs`. Nothing probes a heartbeat: its status is the one on
 * record, not what readings say of it now. Pure.
 */
export const describeCheckStatus = (
  check: Pick<CheckWithState, 'type' | 'paused' | 'regions' | 'intervalSeconds' | 'state'>,
  nowMs: number,
): StatusDescription => {
  const description = describeStatus(check.state, check, nowMs)
  if (check.type !== 'heartbeat') return description
  const status = heartbeatStatus({ paused: check.paused, status: check.state.status })
  return { ...description, status }
}
