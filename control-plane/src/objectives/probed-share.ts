import type { Revision } from '@probe-mesh/contracts/reading/slots'

/** What is known of a check in a window: the judged probes of the region that has the most, and when it was due. */
type Probed = { most: number; revisions: readonly Revision[] }

/**
 * The share of [fromMs, toMs) in which the checks were probed and judged, 0 to 1, by the region of each that measured
 * the most: a region that is refused hides nothing that another one saw. Truncated, since a window with a gap is not
 * measured as a whole.
 */
export const probedShare = (checks: readonly Probed[], fromMs: number, toMs: number): number => {
  let [due, judged, longestMs] = [0, 0, 0]
  for (const { most, revisions } of checks) {
    const { slots, activeMs } = dueIn(revisions, fromMs, toMs)
    due += slots
    // more than are due in one check hide none that is missing in another
    judged += Math.min(most, slots)
    longestMs = Math.max(longestMs, activeMs)
  }
  return due === 0 ? 0 : Math.floor((longestMs / (toMs - fromMs)) * (judged / due) * 1e6) / 1e6
}

/** The slots of one region, as a number of intervals, and the time in which they were due. */
const dueIn = (revisions: readonly Revision[], fromMs: number, toMs: number) => {
  let [slots, activeMs] = [0, 0]
  for (const { validFromMs, validToMs, intervalSeconds, paused, regions } of revisions) {
    const ms = Math.min(toMs, validToMs ?? toMs) - Math.max(fromMs, validFromMs)
    if (paused || regions.length === 0 || ms <= 0) continue
    slots += ms / (intervalSeconds * 1_000)
    activeMs += ms
  }
  return { slots, activeMs }
}
