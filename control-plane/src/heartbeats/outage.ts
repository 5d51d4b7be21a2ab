/** A time in which no control plane could take a ping. Unix ms, `fromMs` before `toMs`. */
export type Outage = { fromMs: number; toMs: number }

/**
 * Clients repeat a ping for about this long. A longer time without anybody to take it may have
 * lost it for good.
 */
export const clientRetryMs = 60_000

/** How a clock that ran out at its deadline stands once outages are known. */
export type WatchedDeadline =
  | { kind: 'at'; deadlineMs: number }
  /** What was waited for may have come and been lost: silence proves nothing. */
  | { kind: 'unwatched'; deadlineMs: number; untilMs: number }

/**
 * No data is never down (S-610): a ping that could not be taken is not a ping that was not sent. The
 * deadline moves on by as long as nobody watched since `fromMs`, and lies `clientRetryMs` after
 * the last return (or the whole wait, where that is shorter). What was not watched for longer than
 * clients repeat a ping cannot be judged at all.
 * @param fromMs when the wait began
 * @param outages in order of time, none overlapping another
 */
export const watchedDeadline = (
  fromMs: number,
  deadlineMs: number,
  outages: readonly Outage[],
): WatchedDeadline => {
  let unwatchedMs = 0
  let movedMs = deadlineMs
  for (const outage of outages) {
    if (outage.toMs <= fromMs || outage.fromMs >= movedMs) continue
    const lostMs = outage.toMs - Math.max(outage.fromMs, fromMs)
    unwatchedMs += lostMs
    if (unwatchedMs > clientRetryMs) {
      const untilMs = outage.toMs
      return { kind: 'unwatched', deadlineMs: Math.max(deadlineMs, untilMs), untilMs }
    }
    const anewMs = Math.min(clientRetryMs, deadlineMs - fromMs)
    movedMs = Math.max(movedMs + lostMs, outage.toMs + anewMs)
  }
  return { kind: 'at', deadlineMs: movedMs }
}

/**
 * Where nobody was heard of for longer than this, nobody watched. Well above how often a watcher
 * says that it is there.
 */
export const silenceMsMax = 6_000

/** What is known of who took pings. */
export type HeartbeatWatch = {
  /** In order of time. */
  outages: readonly Outage[]
  /** When a control plane said last that it takes pings, Unix ms; null where none ever did. */
  seenAtMs: number | null
}

/** Until when pings were taken: an outage is written down only when it is over. */
export const watchedUntilMs = ({ seenAtMs }: HeartbeatWatch, nowMs: number): number =>
  seenAtMs === null || nowMs - seenAtMs <= silenceMsMax ? nowMs : seenAtMs
