/**
 * Decides which failed runs get a screenshot, so that a page that stays down does not flood the
 * storage.
 */
export type Screenshots = {
  /** @param begunMs when the attempt began, monotonic ms */
  isWanted(checkId: string, begunMs: number): boolean
  record(checkId: string, nowMs: number): void
}

/** Interval between screenshots of one check, ms. */
export const screenshotEveryMs = 600_000
/**
 * An attempt that starts this soon after a screenshot is its retry, whose reading replaces it, ms.
 */
export const retryWithinMs = 5_000

const checksMax = 10_000

type Capture = { at: number; isRetry: boolean }

/** Remembers at most `checksMax` checks and forgets the oldest screenshots first. */
export const createScreenshots = (): Screenshots => {
  const last = new Map<string, Capture>()
  const isRetryOf = (capture: Capture, begunMs: number): boolean =>
    !capture.isRetry && begunMs >= capture.at && begunMs - capture.at < retryWithinMs

  return {
    isWanted: (checkId, begunMs) => {
      const capture = last.get(checkId)
      return capture === undefined || begunMs - capture.at >= screenshotEveryMs || isRetryOf(capture, begunMs)
    },
    record: (checkId, nowMs) => {
      const before = last.get(checkId)
      const isRetry = before !== undefined && nowMs - before.at < screenshotEveryMs
      last.delete(checkId)
      // A retry keeps the time of the first screenshot, so that the interval does not grow.
      last.set(checkId, { at: isRetry ? before.at : nowMs, isRetry })
      const [oldest] = last.keys()
      if (last.size > checksMax && oldest !== undefined) last.delete(oldest)
    },
  }
}
