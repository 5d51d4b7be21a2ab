import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { TrendState } from '@probe-mesh/contracts/check/check-row'
import { merged, subtract, type Span, type StatusEvidence } from '../../status/spans.ts'

/** Equal slots in time, oldest first. */
export type Slots = { fromMs: number; stepMs: number; count: number }

type StatusSpan = Span & { status: CheckStatus }

/**
 * The worst status of a check in each slot, up to `nowMs`. Silence is no status: a slot in which nothing was
 * measured is `no_data`, and one that was measured in part is at best `stale`. Time before the first status and
 * paused time leave no gap (S-232).
 */
export const trendOf = (evidence: StatusEvidence, slots: Slots, nowMs: number): TrendState[] => {
  const found = Array.from({ length: slots.count }, () => new Set<CheckStatus>())
  for (const { status, fromMs, toMs } of statusSpans(evidence, nowMs)) {
    const first = Math.max(0, Math.floor((fromMs - slots.fromMs) / slots.stepMs))
    const end = Math.min(slots.count, Math.ceil((toMs - slots.fromMs) / slots.stepMs))
    for (let at = first; at < end; at++) found[at]?.add(status)
  }
  return found.map(worstOf)
}

const worstOf = (seen: ReadonlySet<CheckStatus>): TrendState => {
  if (seen.has('down')) return 'down'
  if (seen.has('degraded')) return 'degraded'
  if (!seen.has('operational')) return 'no_data'
  return seen.has('stale') ? 'stale' : 'operational'
}

/** The recorded statuses; `stale` from the moment at which the last reading no longer counts. */
const statusSpans = ({ flips, knownUntilMs, unwatched }: StatusEvidence, nowMs: number): StatusSpan[] => {
  const recorded = flips.flatMap(({ to, atMs }, index): StatusSpan[] => {
    const untilMs = Math.min(flips[index + 1]?.atMs ?? nowMs, nowMs)
    const toMs = Math.max(atMs, Math.min(untilMs, knownUntilMs))
    return [
      { status: to, fromMs: atMs, toMs },
      { status: 'stale' as const, fromMs: toMs, toMs: untilMs },
    ].filter((span) => span.fromMs < span.toMs)
  })
  return subtract(recorded, merged(unwatched))
}
