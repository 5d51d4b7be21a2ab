import { watchedUntilMs } from '../heartbeats/outage.ts'
import type { HeartbeatWatch } from '../heartbeats/outage.ts'
import type { FlipRow, StatusEvidence, Span } from '../status/spans.ts'
import { staleAtMs } from '../status/observe.ts'
import type { CheckWithState } from '../check-record/check-record.ts'

/**
 * What a check's flips stand for. The assessor may not have recorded yet that a check turned stale, or be
 * away itself: its record counts no longer than what was measured. A heartbeat stays what its runs said
 * while somebody takes pings, and no longer. A paused check is watched by nobody. Pure.
 * @param watch of heartbeats; others do not depend on it
 */
export const statusEvidence = (
  check: Pick<CheckWithState, 'type' | 'regions' | 'intervalSeconds' | 'state'>,
  { flips, paused }: { flips: readonly FlipRow[]; paused: readonly Span[] },
  watch: HeartbeatWatch,
  nowMs: number,
): StatusEvidence =>
  check.type === 'heartbeat'
    ? {
        flips,
        knownUntilMs: watchedUntilMs(watch, nowMs),
        unwatched: [...paused, ...watch.outages],
      }
    : {
        flips,
        knownUntilMs: Math.min(nowMs, staleAtMs(check.state, check) ?? 0),
        unwatched: paused,
      }
