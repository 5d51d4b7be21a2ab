import type { CheckStatus, Uptime } from '@probe-mesh/contracts/check'

/** A recorded status change, as uptime reads it. */
export type FlipRow = { from: CheckStatus; to: CheckStatus; atMs: number }

const dayMs = 86_400_000

/** The windows of `uptime{day,week,month,quarter}`, in milliseconds. */
export const uptimeWindowsMs = {
  day: dayMs,
  week: 7 * dayMs,
  month: 30 * dayMs,
  quarter: 90 * dayMs,
} as const satisfies Record<keyof Uptime, number>

/**
 * Share of measured time in which the aggregate was not `down` (reliability.md U2: one bad region
 * is not an outage; architecture.md: "counts measured time only"). Time in `unknown` and `stale`
 * is not measured and counts neither way.
 * @param flips every flip of the window and the last one before it, oldest first
 */
export const uptimeOf = (flips: readonly FlipRow[], nowMs: number): Uptime => ({
  day: shareUp(flips, nowMs - uptimeWindowsMs.day, nowMs),
  week: shareUp(flips, nowMs - uptimeWindowsMs.week, nowMs),
  month: shareUp(flips, nowMs - uptimeWindowsMs.month, nowMs),
  quarter: shareUp(flips, nowMs - uptimeWindowsMs.quarter, nowMs),
})

const shareUp = (flips: readonly FlipRow[], fromMs: number, nowMs: number): number | null => {
  let measured = 0
  let down = 0
  for (const [index, flip] of flips.entries()) {
    const start = Math.max(fromMs, flip.atMs)
    const end = Math.min(nowMs, flips[index + 1]?.atMs ?? nowMs)
    if (end <= start || flip.to === 'unknown' || flip.to === 'stale') continue
    measured += end - start
    if (flip.to === 'down') down += end - start
  }
  return measured === 0 ? null : Math.round((1 - down / measured) * 1e6) / 1e6
}
