import { watchedUntilMs, type HeartbeatWatch } from '../heartbeats/outage.ts'
import type { FlipRow, StatusEvidence, Span } from '../status/spans.ts'
import { staleAtMs } from '../status/observe.ts'
import type { CheckWithState } from '../records/check/check-record.ts'

/**
 * The evidence behind a check's flips. The assessor may be behind or stopped, so that its record counts only
 * as long as the readings it rests on. A heartbeat keeps its last status while pings can be received, and no
 * longer. Paused time is not monitored.
 * @param watch used for heartbeats only
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
