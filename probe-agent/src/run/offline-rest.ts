import type { Connectivity } from './connectivity.ts'

/** One run of the agent is attempted in this time, ms: the network may work where only its canaries are refused. */
const scoutMs = 10_000
/** Checks that are remembered; of more, none rests. */
const checksMax = 200_000

/** Lets checks rest while the probe has no network, so that not each of them waits for its timeouts (S-818). */
export type OfflineRest = {
  /** Whether this scheduled run would only find again that the probe has no network. */
  skips(check: string): boolean
  /** Notes the end of an attempt. @param answered the target answered */
  note(check: string, end: { offline: boolean; answered: boolean }): void
}

/**
 * A check rests when its last attempt found no network, the canaries are still lost, and no target has answered
 * since then. All are attempted again as soon as a canary or any target answers.
 * @param now monotonic, ms
 */
export const createOfflineRest = (
  { lostSince }: Pick<Connectivity, 'lostSince'>,
  now: () => number = () => performance.now(),
): OfflineRest => {
  let resting = new Set<string>()
  let scoutedAt = Number.NEGATIVE_INFINITY
  return {
    skips: (check) => {
      if (!resting.has(check)) return false
      const at = now()
      if ((lostSince?.() ?? null) === null) {
        resting = new Set()
        return false
      }
      if (at - scoutedAt < scoutMs) return true
      scoutedAt = at
      return false
    },
    note: (check, { offline, answered }) => {
      if (answered) resting = new Set()
      else if (!offline) resting.delete(check)
      else if (resting.size < checksMax) resting.add(check)
    },
  }
}
