const startMsMax = 5_000

/**
 * How late after its slot a run may start, ms: half the interval, at most 5 s. Later, its timings
 * would describe the probe rather than the target, so the slot is `unmeasured`. It also limits how
 * far back a new revision catches up.
 */
export const startDeadlineMs = (intervalSeconds: number): number =>
  Math.min(startMsMax, intervalSeconds * 500)
