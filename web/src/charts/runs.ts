/** Neighbours in a list: from one index, that many. */
export type Run = { first: number; count: number }

/** The longest runs of neighbours that have something, in order. */
export const runsOf = <T>(list: readonly T[], has: (each: T) => boolean): Run[] => {
  const runs: Run[] = []
  for (const [index, each] of list.entries()) {
    if (!has(each)) continue
    const last = runs.at(-1)
    if (last !== undefined && last.first + last.count === index) last.count += 1
    else runs.push({ first: index, count: 1 })
  }
  return runs
}
