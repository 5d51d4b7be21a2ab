/** A maintenance window that covers a check: from its start on, and until just before its end. */
export type HoldingWindow = { startsAtMs: number; endsAtMs: number }

/** Whether maintenance holds alerts at an instant (S-1604). */
export const isCovered = (windows: readonly HoldingWindow[], atMs: number): boolean =>
  windows.some((window) => window.startsAtMs <= atMs && atMs < window.endsAtMs)

/** A window may be ended early: what it holds is looked at this often. */
const lookAgainMs = 15_000

/** When to look again at something that is due at `dueMs` but may be held at `nowMs`. */
export const nextLookMs = (
  windows: readonly HoldingWindow[],
  dueMs: number,
  nowMs: number,
): number => {
  if (dueMs > nowMs || !isCovered(windows, nowMs)) return dueMs
  const ends = windows.filter((window) => isCovered([window], nowMs)).map((w) => w.endsAtMs)
  return Math.min(nowMs + lookAgainMs, ...ends)
}
