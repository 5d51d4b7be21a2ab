/** Consecutive entries of a list: `count` entries from the index `first`. */
export type Span = { first: number; count: number }

/** The longest runs of consecutive entries that satisfy a condition, in order. */
export const spansOf = <T>(list: readonly T[], satisfies: (each: T) => boolean): Span[] => {
  const spans: Span[] = []
  for (const [index, each] of list.entries()) {
    if (!satisfies(each)) continue
    const last = spans.at(-1)
    if (last !== undefined && last.first + last.count === index) last.count += 1
    else spans.push({ first: index, count: 1 })
  }
  return spans
}
