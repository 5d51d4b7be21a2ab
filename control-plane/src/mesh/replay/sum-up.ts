import { replayedOutagesMax, type ReplayedOutage } from '@probe-mesh/contracts/check/rule-replay'
import type { StatusChange } from '../../status/observe.ts'

type SummedUp = { outages: number; downSeconds: number; degradedSeconds: number; newest: ReplayedOutage[] }

type Outage = { startMs: number; endMs: number | null; downMs: number; reason: string | null }

/**
 * What the flips of a replay amount to in [fromMs, toMs). An outage begins with `down` and ends when some region sees
 * the check up, or with a pause, as in the list of outages; time without data counts neither way.
 * @param isPausedAt whether the check was paused at an instant
 */
export const sumUp = (
  changes: readonly StatusChange[],
  { fromMs, toMs, isPausedAt }: { fromMs: number; toMs: number; isPausedAt: (atMs: number) => boolean },
): SummedUp => {
  const outages: Outage[] = []
  let open: Outage | null = null
  let [downMs, degradedMs] = [0, 0]
  for (const [index, { to, noneUp, reason, atMs }] of changes.entries()) {
    const startMs = Math.max(fromMs, atMs)
    const endMs = Math.min(toMs, changes[index + 1]?.atMs ?? toMs)
    const lastedMs = Math.max(0, endMs - startMs)
    const isSeenUp = to === 'operational' || (to === 'degraded' && noneUp !== true)
    if (to === 'degraded') degradedMs += lastedMs
    if (to === 'down') {
      if (open === null) outages.push((open = { startMs, endMs: null, downMs: 0, reason }))
      open.downMs += lastedMs
      downMs += lastedMs
    } else if (open !== null && (isSeenUp || isPausedAt(atMs))) {
      open.endMs = atMs
      open = null
    }
  }
  const counted = outages.filter(({ startMs, endMs }) => startMs < toMs && (endMs === null || endMs > fromMs))
  return {
    outages: counted.length,
    downSeconds: Math.round(downMs / 1_000),
    degradedSeconds: Math.round(degradedMs / 1_000),
    newest: counted.slice(-replayedOutagesMax).toReversed().map(describe),
  }
}

const describe = ({ startMs, endMs, downMs, reason }: Outage): ReplayedOutage => ({
  startedAt: new Date(startMs).toISOString(),
  endedAt: endMs === null ? null : new Date(endMs).toISOString(),
  downSeconds: Math.round(downMs / 1_000),
  reason,
})
