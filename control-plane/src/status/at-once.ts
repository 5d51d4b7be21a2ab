/** A region that fails: since when, when it was seen to last, and which round it answered so, if any. Unix ms. */
export type FailingRun = { sinceMs: number; untilMs: number; roundAtMs: number | null }

/**
 * How many regions fail at one time: they answered the newest round so, or failed before and after one
 * instant. What regions said at different times is never added up, since a failure may move between them
 * (S-905).
 * @param rounds that any region answered, whatever it said
 */
export const failingAtOnce = (
  failing: readonly FailingRun[],
  rounds: readonly number[],
): number => {
  const newestRound = rounds.length === 0 ? null : Math.max(...rounds)
  const countAt = (atMs: number): number =>
    failing.filter(
      ({ sinceMs, untilMs, roundAtMs }) =>
        (sinceMs <= atMs && atMs <= untilMs) || (atMs === newestRound && roundAtMs === newestRound),
    ).length
  const instants = failing.map(({ sinceMs }) => sinceMs)
  if (newestRound !== null) instants.push(newestRound)
  return Math.max(0, ...instants.map(countAt))
}
