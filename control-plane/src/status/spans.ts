import type { CheckStatus } from '@probe-mesh/contracts/check/check'

/** A time span in Unix milliseconds: `fromMs` included, `toMs` excluded. */
export type Span = { fromMs: number; toMs: number }

/** The parts of spans within another one. */
export const within = <S extends Span>(spans: readonly S[], whole: Span): S[] =>
  spans.flatMap((span) => {
    const fromMs = Math.max(span.fromMs, whole.fromMs)
    const toMs = Math.min(span.toMs, whole.toMs)
    return fromMs < toMs ? [{ ...span, fromMs, toMs }] : []
  })

/** Merges overlapping spans, so that no time is subtracted twice. */
export const merged = (spans: readonly Span[]): Span[] => {
  const whole: Span[] = []
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else whole.push({ fromMs, toMs })
  }
  return whole
}

/** The total length of spans in milliseconds. @param spans without overlaps */
export const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** Subtracts spans from others. Both are in order and without overlaps. */
export const subtract = <S extends Span>(spans: readonly S[], taken: readonly Span[]): S[] => {
  const left: S[] = []
  let passed = 0
  for (const span of spans) {
    while ((taken[passed]?.toMs ?? Number.POSITIVE_INFINITY) <= span.fromMs) passed++
    let { fromMs } = span
    for (let at = passed; at < taken.length; at++) {
      const hole = taken[at]
      if (hole === undefined || hole.fromMs >= span.toMs) break
      if (fromMs < hole.fromMs) left.push({ ...span, fromMs, toMs: hole.fromMs })
      fromMs = Math.max(fromMs, hole.toMs)
    }
    if (fromMs < span.toMs) left.push({ ...span, fromMs })
  }
  return left
}

/** A recorded status change, for uptime. */
export type FlipRow = {
  from: CheckStatus
  to: CheckStatus
  atMs: number
  /** It is degraded and no region sees it up; absent means no. */
  noneUp?: boolean
}

/** The recorded status of a check, and how long the record is valid. */
export type StatusEvidence = {
  /** Every flip of the period and the last one before it, oldest first. */
  flips: readonly FlipRow[]
  /** The last instant at which a reading counts: later, nothing is known. */
  knownUntilMs: number
  /** Periods without monitoring, whatever the record contains; may overlap. */
  unwatched: readonly Span[]
}

/** A span with a known status. */
export type KnownSpan = Span & { isDown: boolean }

/**
 * The time for which it is known whether the target was up. No data is never healthy (S-1102): `unknown`,
 * `stale`, refusals and time without monitoring count neither way.
 */
export const knownSpans = ({ flips, knownUntilMs, unwatched }: StatusEvidence): KnownSpan[] => {
  const recorded = flips.flatMap(({ to, atMs, noneUp = false }, index) => {
    const toMs = Math.min(flips[index + 1]?.atMs ?? knownUntilMs, knownUntilMs)
    if (to === 'unknown' || to === 'stale' || noneUp || toMs <= atMs) return []
    return [{ fromMs: atMs, toMs, isDown: to === 'down' }]
  })
  return subtract(recorded, merged(unwatched))
}
