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
