/**
 * Decides which failed runs get a screenshot, so that a page that stays down does not flood the
 * storage.
 */
export type Pictures = {
  /** @param begunMs when the attempt began, monotonic ms */
  isWanted(checkId: string, begunMs: number): boolean
  taken(checkId: string, nowMs: number): void
}

/** Interval between screenshots of one check, ms. */
export const pictureEveryMs = 600_000
/**
 * An attempt that starts this soon after a screenshot is its retry, whose reading replaces it, ms.
 */
export const retryWithinMs = 5_000

const checksMax = 10_000

type Taken = { at: number; isRetry: boolean }

/** Remembers at most `checksMax` checks and forgets the oldest screenshots first. */
export const createPictures = (): Pictures => {
  const last = new Map<string, Taken>()
  const isRetryOf = (taken: Taken, begunMs: number): boolean =>
    !taken.isRetry && begunMs >= taken.at && begunMs - taken.at < retryWithinMs

  return {
    isWanted: (checkId, begunMs) => {
      const taken = last.get(checkId)
      return (
        taken === undefined || begunMs - taken.at >= pictureEveryMs || isRetryOf(taken, begunMs)
      )
    },
    taken: (checkId, nowMs) => {
      const before = last.get(checkId)
      const isRetry = before !== undefined && nowMs - before.at < pictureEveryMs
      last.delete(checkId)
      // A retry keeps the time of the first screenshot, so that the interval does not grow.
      last.set(checkId, { at: isRetry ? before.at : nowMs, isRetry })
      const [oldest] = last.keys()
      if (last.size > checksMax && oldest !== undefined) last.delete(oldest)
    },
  }
}
