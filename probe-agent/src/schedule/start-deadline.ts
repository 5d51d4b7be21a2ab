const startMsMax = 5_000

/**
 * How late after its slot a run may still begin, ms: half the interval, at most 5 s. Beyond that
 * its time would say more about the probe than about the target, so the slot is `unmeasured`. It
 * is also how far back the slots of a new revision are made up for.
 */
export const startDeadlineMs = (intervalSeconds: number): number =>
  Math.min(startMsMax, intervalSeconds * 500)
