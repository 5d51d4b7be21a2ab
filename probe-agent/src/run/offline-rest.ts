import type { Connectivity } from './connectivity.ts'

/** One run of the agent is attempted in this time, ms: the network may work where only its canaries are refused. */
const scoutMs = 10_000
/** Each check is attempted in this time, ms: its target may be the only one that can be reached. */
const restMsMax = 600_000
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
 * since then. All are attempted again as soon as a canary or any target answers, and none waits for the others' sake:
 * slots come in the same order again and again, so the first of 10 s may always be the same check's.
 * @param now monotonic, ms
 */
export const createOfflineRest = (
  { lostSince }: Pick<Connectivity, 'lostSince'>,
  now: () => number = () => performance.now(),
): OfflineRest => {
  /** When each was attempted last. */
  let resting = new Map<string, number>()
  /** The loss that they found. */
  let found: number | null = null
  let scoutedAt = Number.NEGATIVE_INFINITY

  const wake = (): void => {
    if (resting.size > 0) resting = new Map()
  }
  const isLost = (): boolean => {
    const lost = lostSince?.() ?? null
    if (lost !== found) wake()
    found = lost
    return lost !== null
  }
  return {
    skips: (check) => {
      if (!isLost()) return false
      const attemptedAt = resting.get(check)
      if (attemptedAt === undefined) return false
      const at = now()
      const restMs = Math.min(restMsMax, 2 * scoutMs * resting.size)
      if (at - scoutedAt < scoutMs && at - attemptedAt < restMs) return true
      scoutedAt = at
      resting.set(check, at)
      return false
    },
    note: (check, { offline, answered }) => {
      const lost = isLost()
      if (answered) wake()
      else if (!offline) resting.delete(check)
      else if (lost && (resting.size < checksMax || resting.has(check))) resting.set(check, now())
    },
  }
}
