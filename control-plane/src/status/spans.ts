import type { CheckStatus } from '@probe-mesh/contracts/check/check'

/** A stretch of time, Unix milliseconds: the first instant belongs to it, the last one does not. */
export type Span = { fromMs: number; toMs: number }

/** What of spans lies within another one. */
export const within = <S extends Span>(spans: readonly S[], whole: Span): S[] =>
  spans.flatMap((span) => {
    const fromMs = Math.max(span.fromMs, whole.fromMs)
    const toMs = Math.min(span.toMs, whole.toMs)
    return fromMs < toMs ? [{ ...span, fromMs, toMs }] : []
  })

/** Overlapping spans as one, so that no time is taken away twice. */
export const joined = (spans: readonly Span[]): Span[] => {
  const whole: Span[] = []
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = whole.at(-1)
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs)
    else whole.push({ fromMs, toMs })
  }
  return whole
}

/** How long spans are in all, milliseconds. @param spans that do not overlap one another */
export const lengthOf = (spans: readonly Span[]): number =>
  spans.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** What is left of spans, once others are taken away. Of both none overlap, and they are in order. */
export const cut = <S extends Span>(spans: readonly S[], taken: readonly Span[]): S[] => {
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

/** A recorded status change, as uptime reads it. */
export type FlipRow = {
  from: CheckStatus
  to: CheckStatus
  atMs: number
  /** It is degraded and no region sees it up; absent is no. */
  noneUp?: boolean
}

/** What is on record of a check's status, and for how long it may be believed. */
export type StatusEvidence = {
  /** Every flip of the time asked for and the last one before it, oldest first. */
  flips: readonly FlipRow[]
  /** The last instant at which what was measured counts: after it nothing is known. */
  knownUntilMs: number
  /** When nobody watched it, whatever was on record; may overlap. */
  unwatched: readonly Span[]
}

/** Time of which something is known. */
export type KnownSpan = Span & { isDown: boolean }

/**
 * The time of which it is known whether the target was up; no data is never healthy (S-1102). `unknown` and
 * `stale` say nothing of it, nor do refusals, and a status that nobody looked after says no more. Pure.
 */
export const knownSpans = ({ flips, knownUntilMs, unwatched }: StatusEvidence): KnownSpan[] => {
  const recorded = flips.flatMap(({ to, atMs, noneUp = false }, index) => {
    const toMs = Math.min(flips[index + 1]?.atMs ?? knownUntilMs, knownUntilMs)
    if (to === 'unknown' || to === 'stale' || noneUp || toMs <= atMs) return []
    return [{ fromMs: atMs, toMs, isDown: to === 'down' }]
  })
  return cut(recorded, joined(unwatched))
}
