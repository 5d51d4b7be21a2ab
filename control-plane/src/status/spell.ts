/** Failures of a region that come and go, since the first of them. Unix ms. */
export type Spell = {
  sinceMs: number
  /** Readings that failed, of those since then. */
  failed: number
  of: number
  /** How often it began to fail. */
  runs: number
  lastFailedMs: number
  /** The check was down in it: its end is then seen by all regions. Absent is no. */
  wasDown?: boolean
}

/** After so many good intervals a spell is over. */
const quietIntervals = 10
/** A failure that lasts longer is an outage, and its end is one. */
const shortIntervals = 2.5
/** For so many intervals after a short failure its end is not believed. */
const onceIntervals = 3

/**
 * The spell of a region after a reading; undefined where there is none (S-911).
 * @param reading `notFailingAt`: when the region was last found not to fail; null where it never was
 * @param runSinceMs since when readings failed one after the other before this one; null where the last did not
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
  // silence is no end: what fails before it and after it fails for that long
  const isUnbroken = before !== undefined && (notFailingAt ?? 0) <= before.lastFailedMs
  const failingSinceMs = runSinceMs ?? (isUnbroken ? before.lastFailedMs : null)
  const isLong =
    failingSinceMs !== null && measuredAt - failingSinceMs > shortIntervals * intervalMs
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

/** Whether failures keep coming back: the last good readings do not end that. */
export const comesAndGoes = (
  spell: Spell | undefined,
  intervalSeconds: number,
  nowMs: number,
): boolean =>
  spell !== undefined &&
  spell.runs > 1 &&
  nowMs - spell.lastFailedMs <= quietIntervals * intervalSeconds * 1_000

/** Whether a failure was so short that it may come back at once, and only some regions saw it. */
export const mayComeBack = (
  spell: Spell | undefined,
  intervalSeconds: number,
  nowMs: number,
): boolean =>
  spell !== undefined &&
  spell.wasDown !== true &&
  nowMs - spell.lastFailedMs <= onceIntervals * intervalSeconds * 1_000
