import type { PublicDay } from '@probe-mesh/contracts/status-page/public-page'
import {
  knownSpans,
  subtract,
  merged,
  lengthOf,
  within,
  type StatusEvidence,
  type Span,
} from '../status/spans.ts'

/** The evidence for the history of one component. */
export type HistoryEvidence = StatusEvidence & {
  /** When maintenance covered it; spans may overlap. */
  maintenance: readonly Span[]
  /** When an incident was open. */
  incidents: readonly Span[]
}

const dayMs = 86_400_000

/** Days in UTC, oldest first. The last one is the day of `nowMs`, up to `nowMs`. */
export const lastDays = (count: number, nowMs: number): Span[] => {
  const today = Math.floor(nowMs / dayMs) * dayMs
  return Array.from({ length: count }, (_, at) => {
    const fromMs = today - (count - 1 - at) * dayMs
    return { fromMs, toMs: Math.min(fromMs + dayMs, nowMs) }
  })
}

/**
 * A component's days and its uptime over all of them, by the rule of `uptimeOf`: the share of the measured
 * time in which it was not down. Time under maintenance does not count, whatever its readings are.
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

/** An incident that started and ended in the same instant was open on its day. */
const touches = (span: Span, day: Span): boolean =>
  span.fromMs < day.toMs && Math.max(span.toMs, span.fromMs + 1) > day.fromMs

/** Rounded down, so that a short outage never gives 1. */
const shareOf = ({ measured, down }: { measured: number; down: number }): number | null => {
  // less than a second of measured time gives no share
  if (measured < 1000) return null
  return Math.floor((1 - down / measured) * 1e6 + (down === 0 ? 1e-6 : 0)) / 1e6
}
