import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { durationText } from '../status/duration-text.ts'

/**
 * Why a heartbeat is down, one line each. What a job sends stays with its run: a reason may be
 * shown to anybody.
 */
export const failReason = 'the job reported a failure'

export const exitReason = (exitCode: number): string => `the job ended with exit code ${exitCode}`

export const stuckReason = ({ maxRuntimeSeconds }: HeartbeatSettings): string =>
  `the job did not end within its max runtime of ${durationText((maxRuntimeSeconds ?? 0) * 1000)}`

/** Not a failure of the job. */
export const unwatchedReason =
  'no end was received, and for a part of the time no ping could be received'

export const supersededReason = 'no end was reported before later runs began'

/** Explains a ping that came too early, for the schedule to count it for the time that was due. */
export const missedReason = (
  expectedMs: number,
  lastPingAtMs: number | null,
  { cron, graceSeconds }: HeartbeatSettings,
): string => {
  const due = `no ping came by ${instantText(expectedMs)} and ${durationText(graceSeconds * 1000)} of grace`
  const earlyMs = lastPingAtMs === null ? 0 : expectedMs - lastPingAtMs
  return cron !== null && earlyMs > 0 && earlyMs <= graceSeconds * 1000
    ? `${due}; the last one came ${durationText(earlyMs)} before that time`
    : due
}

const instantText = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z')
