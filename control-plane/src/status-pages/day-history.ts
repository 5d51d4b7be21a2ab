import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import { knownSpans, subtract, merged, lengthOf, within } from '../status/spans.ts'
import type { StatusEvidence, Span } from '../status/spans.ts'

/** What the history of one component is made of. */
export type HistoryEvidence = StatusEvidence & {
  /** When maintenance covered it; may overlap. */
  maintenance: readonly Span[]
  /** When an incident was open. */
  incidents: readonly Span[]
}

const dayMs = 86_400_000

/** Days in UTC, the last one that of `nowMs`, as far as it is over. Oldest first. */
export const lastDays = (count: number, nowMs: number): Span[] => {
  const today = Math.floor(nowMs / dayMs) * dayMs
  return Array.from({ length: count }, (_, at) => {
    const fromMs = today - (count - 1 - at) * dayMs
    return { fromMs, toMs: Math.min(fromMs + dayMs, nowMs) }
  })
}

/**
 * A component's days and its share of all of them, by the rule of `uptimeOf`: what was not down, of
 * the time of which that is known. Time under maintenance counts neither way, whatever was measured in it.
 * Pure.
 */
export const historyOf = (
  days: readonly Span[],
  evidence: HistoryEvidence,
): { days: PublicDay[]; upShare: number | null } => {
  const maintenance = merged(evidence.maintenance)
  const counted = subtract(knownSpans(evidence), maintenance)
  let [measured, down] = [0, 0]
  const described = days.map((day) => {
    const ofDay = { measured: 0, down: 0 }
    for (const span of within(counted, day)) {
      const length = span.toMs - span.fromMs
      ofDay.measured += length
      if (span.isDown) ofDay.down += length
    }
    measured += ofDay.measured
    down += ofDay.down
    const underMaintenance = lengthOf(within(maintenance, day))
    const silent = day.toMs - day.fromMs - underMaintenance - ofDay.measured
    return {
      date: new Date(day.fromMs).toISOString().slice(0, 10),
      upShare: shareOf(ofDay),
      measuredSeconds: Math.floor(ofDay.measured / 1000),
      unmeasuredSeconds: Math.ceil(silent / 1000),
      maintenanceSeconds: Math.floor(underMaintenance / 1000),
      incidents: evidence.incidents.filter((span) => touches(span, day)).length,
    }
  })
  return { days: described, upShare: shareOf({ measured, down }) }
}

/** An incident that began and ended in one instant was open on its day. */
const touches = (span: Span, day: Span): boolean =>
  span.fromMs < day.toMs && Math.max(span.toMs, span.fromMs + 1) > day.fromMs

/** Cut, so that what was down for a moment is not 1. */
const shareOf = ({ measured, down }: { measured: number; down: number }): number | null => {
  // what rounds to no second of measuring is no share either
  if (measured < 1000) return null
  return Math.floor((1 - down / measured) * 1e6 + (down === 0 ? 1e-6 : 0)) / 1e6
}
