import type { CheckDetail } from '@probe-mesh/contracts/check/check'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { CheckWithState } from '../check-record/check-record.ts'
import { describeHeartbeat, describeRun } from '../heartbeats/describe-heartbeat.ts'
import { waitSeconds } from '../heartbeats/clocks.ts'
import type { FoundHeartbeat } from '../heartbeats/heartbeats-store.ts'

/** What a heartbeat says of itself in the place of readings, and besides. */
export type HeartbeatEvidence = Pick<
  CheckDetail,
  'statusReason' | 'statusSince' | 'measuredAt' | 'staleAfterSeconds' | 'heartbeat'
>

/** `measuredAt` is its last ping; it is `stale`, in a way, when the next one is overdue. */
export const describeHeartbeatCheck = (
  check: CheckWithState,
  settings: HeartbeatSettings,
  found: FoundHeartbeat,
  pingUrl: string | null,
  nowMs: number,
): HeartbeatEvidence => {
  const { paused, validFromMs, state } = check
  const definition = { settings, paused, validFromMs, status: state.status }
  const { statusReason, ...extras } = describeHeartbeat(found.state, definition, nowMs)
  return {
    statusReason,
    statusSince:
      paused || state.statusSinceMs === null ? null : new Date(state.statusSinceMs).toISOString(),
    measuredAt: extras.lastPingAt,
    staleAfterSeconds: waitSeconds(found.state, settings, nowMs),
    heartbeat: {
      ...extras,
      periodSeconds: settings.periodSeconds,
      graceSeconds: settings.graceSeconds,
      maxRuntimeSeconds: settings.maxRuntimeSeconds,
      latestRun: found.latestRun === null ? null : describeRun(found.latestRun),
      pingUrl,
    },
  }
}
