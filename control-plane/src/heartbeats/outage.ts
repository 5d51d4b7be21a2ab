/** A time when no control plane could receive pings. Unix ms, `fromMs` before `toMs`. */
export type Outage = { fromMs: number; toMs: number }

/** Clients repeat a ping for about this long. A longer outage may have lost it for good. */
export const clientRetryMs = 60_000

/** A deadline, once outages are taken into account. */
export type WatchedDeadline =
  | { kind: 'at'; deadlineMs: number }
  /** The ping may have been sent and lost: its absence proves nothing. */
  | { kind: 'unwatched'; deadlineMs: number; untilMs: number }

/**
 * No data is never down (S-610): a ping that could not be received is not a missed ping. The deadline moves
 * by the length of the outages since `fromMs`, and is at least `clientRetryMs` after the last one (or the
 * whole wait, if that is shorter). If the outages are longer than clients repeat a ping, no verdict is
 * possible.
 * @param fromMs the start of the wait
 * @param outages in order of time, without overlap
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

/** A longer silence of all watchers is an outage. Well above the interval at which a watcher reports. */
export const silenceMsMax = 6_000

/** When pings could be received. */
export type HeartbeatWatch = {
  /** In order of time. */
  outages: readonly Outage[]
  /** When a control plane last reported that it receives pings, Unix ms; null if none ever did. */
  seenAtMs: number | null
}

/** Until when pings were received. An outage is recorded only when it is over. */
export const watchedUntilMs = ({ seenAtMs }: HeartbeatWatch, nowMs: number): number =>
  seenAtMs === null || nowMs - seenAtMs <= silenceMsMax ? nowMs : seenAtMs
