/** A span of time, both ends inclusive, Unix milliseconds. */
export type Span = { sinceMs: number; untilMs: number }

/**
 * The spans around instants, oldest first. Touching spans are joined.
 * @param aroundMs the time before and after each instant
 */
export const spansAround = (instantsMs: readonly number[], aroundMs: number): Span[] => {
  const spans: Span[] = []
  for (const at of [...instantsMs].toSorted((a, b) => a - b)) {
    const last = spans.at(-1)
    if (last !== undefined && at - aroundMs <= last.untilMs) last.untilMs = at + aroundMs
    else spans.push({ sinceMs: at - aroundMs, untilMs: at + aroundMs })
  }
  return spans
}

/** The spans, oldest first. Touching and overlapping ones are joined. */
export const joinSpans = (spans: readonly Span[]): Span[] => {
  const joined: Span[] = []
  for (const span of [...spans].toSorted((a, b) => a.sinceMs - b.sinceMs)) {
    const last = joined.at(-1)
    if (last !== undefined && span.sinceMs <= last.untilMs) {
      last.untilMs = Math.max(last.untilMs, span.untilMs)
    } else joined.push({ ...span })
  }
  return joined
}
