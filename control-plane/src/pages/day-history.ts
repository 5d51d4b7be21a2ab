import type { PublicDay } from '@probe-mesh/contracts/public-page'
import type { FlipRow } from '../status/uptime.ts'

/** A stretch of time, Unix milliseconds: the first instant belongs to it, the last one does not. */
export type Span = { fromMs: number; toMs: number }

/** What the history of one component is made of. */
export type HistoryEvidence = {
  /** Of the whole time and the last one before it, oldest first. */
  flips: readonly FlipRow[]
  /** The last instant at which what was measured counts: after it nothing is known. */
  knownUntilMs: number
  /** When it was not watched, whatever was on record; may overlap. */
  unwatched: readonly Span[]
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
 * the time that was measured. Time under maintenance counts neither way, whatever was measured in it.
 * Pure.
 */
export const historyOf = (
  days: readonly Span[],
  evidence: HistoryEvidence,
): { days: PublicDay[]; upShare: number | null } => {
  const maintenance = joined(evidence.maintenance)
  const counted = knownSpans(evidence).flatMap((span) =>
    cut(cut([span], joined(evidence.unwatched)), maintenance),
  )
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

type KnownSpan = Span & { isDown: boolean }

/** Time of which something is known; `unknown` and `stale` say that nothing is. */
const knownSpans = ({ flips, knownUntilMs }: HistoryEvidence): KnownSpan[] =>
  flips.flatMap(({ to, atMs }, index) => {
    const toMs = Math.min(flips[index + 1]?.atMs ?? knownUntilMs, knownUntilMs)
    if (to === 'unknown' || to === 'stale' || toMs <= atMs) return []
    return [{ fromMs: atMs, toMs, isDown: to === 'down' }]
  })

const within = <S extends Span>(spans: readonly S[], day: Span): S[] =>
  spans.flatMap((span) => {
    const fromMs = Math.max(span.fromMs, day.fromMs)
    const toMs = Math.min(span.toMs, day.toMs)
    return fromMs < toMs ? [{ ...span, fromMs, toMs }] : []
  })

/** Overlapping spans as one, so that no time is taken away twice. */
const joined = (spans: readonly Span[]): Span[] => {
  const whole: Span[] = []
  for (const span of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1)
    if (last !== undefined && span.fromMs <= last.toMs) {
      last.toMs = Math.max(last.toMs, span.toMs)
    } else whole.push({ ...span })
  }
  return whole
}

const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** What is left of spans. @param taken that do not overlap one another */
const cut = <S extends Span>(spans: readonly S[], taken: readonly Span[]): S[] =>
  taken.reduce<S[]>(
    (left, { fromMs, toMs }) =>
      left.flatMap((span) =>
        [
          { ...span, toMs: Math.min(span.toMs, fromMs) },
          { ...span, fromMs: Math.max(span.fromMs, toMs) },
        ].filter((part) => part.fromMs < part.toMs),
      ),
    [...spans],
  )

/** An incident that began and ended in one instant was open on its day. */
const touches = (span: Span, day: Span): boolean =>
  span.fromMs < day.toMs && Math.max(span.toMs, span.fromMs + 1) > day.fromMs

/** Cut, so that what was down for a moment is not 1. */
const shareOf = ({ measured, down }: { measured: number; down: number }): number | null => {
  if (measured === 0) return null
  return Math.floor((1 - down / measured) * 1e6 + (down === 0 ? 1e-6 : 0)) / 1e6
}
