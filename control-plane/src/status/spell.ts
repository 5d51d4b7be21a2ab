/** Failures of a region that come and go, since the first one. Unix ms. */
export type Spell = {
  sinceMs: number
  /** Failed readings since then, and all readings. */
  failed: number
  of: number
  /** How often a failure began. */
  runs: number
  lastFailedMs: number
  /** The check was down during it, so all regions see its end; absent means no. */
  wasDown?: boolean
}

/** A spell is over after this many good intervals. */
const quietIntervals = 10
/** A longer failure is a separate outage. */
const shortIntervals = 2.5
/** The end of a short failure is not trusted for this many intervals. */
const onceIntervals = 3

/**
 * The spell of a region after a reading; undefined if there is none (S-911).
 * @param reading `notFailingAt`: when the region was last seen not to fail; null if never
 * @param runSinceMs since when all readings before this one failed; null if the last one did not
 */
export const nextSpell = (
  held: Spell | undefined,
  reading: { failed: boolean; measuredAt: number; notFailingAt: number | null },
  runSinceMs: number | null,
  intervalSeconds: number,
): Spell | undefined => {
  const { failed, measuredAt, notFailingAt } = reading
  const intervalMs = intervalSeconds * 1_000
  const isOver = held === undefined || measuredAt - held.lastFailedMs > quietIntervals * intervalMs
  const before = isOver ? undefined : held
  if (!failed) return before === undefined ? undefined : { ...before, of: before.of + 1 }
  // silence is not an end: failures before and after it are one failure
  const isUnbroken = before !== undefined && (notFailingAt ?? 0) <= before.lastFailedMs
  const failingSinceMs = runSinceMs ?? (isUnbroken ? before.lastFailedMs : null)
  const isLong = failingSinceMs !== null && measuredAt - failingSinceMs > shortIntervals * intervalMs
  if (isLong) return undefined
  if (before !== undefined) {
    return {
      ...before,
      failed: before.failed + 1,
      of: before.of + 1,
      runs: before.runs + (failingSinceMs === null ? 1 : 0),
      lastFailedMs: measuredAt,
    }
  }
  return runSinceMs === null
    ? { sinceMs: measuredAt, failed: 1, of: 1, runs: 1, lastFailedMs: measuredAt }
    : undefined
}

/** Whether failures keep coming back: the last good readings do not end a spell. */
export const comesAndGoes = (spell: Spell | undefined, intervalSeconds: number, nowMs: number): boolean =>
  spell !== undefined &&
  spell.runs > 1 &&
  nowMs - spell.lastFailedMs <= quietIntervals * intervalSeconds * 1_000

/** Whether a failure of only some regions was so short that it may come back at once. */
export const mayComeBack = (spell: Spell | undefined, intervalSeconds: number, nowMs: number): boolean =>
  spell !== undefined &&
  spell.wasDown !== true &&
  nowMs - spell.lastFailedMs <= onceIntervals * intervalSeconds * 1_000
