/** Counts the events of one key. */
export type Meter = {
  /** Counts one more at `nowMs`, unless the limit is reached. @returns whether it was counted */
  take(nowMs: number): boolean
  /** Events allowed at `nowMs`. */
  left(nowMs: number): number
  /** Ms until more events are allowed than now; 0 when nothing is counted. */
  resetMs(nowMs: number): number
}

/** Limits the rate of events for each key. Each process counts for itself. */
export type RateLimiter = {
  /** Counts one event of a key. @returns 0 when it is allowed, otherwise ms until the next one is */
  take(key: string): number
  /** Whether the next event of a key would be allowed. Counts nothing. */
  allows(key: string): boolean
  /** Number of keys in memory. */
  readonly size: number
  readonly counts: Readonly<RateLimiterCounts>
}

type RateLimiterCounts = {
  refused: number
  /** Keys forgotten to stay below `keysMax`. */
  forgotten: number
}

/**
 * @param keysMax above it, the half of the keys that was idle for longest is forgotten. Deleting one at a
 * time would walk over all keys deleted before.
 */
export const createRateLimiter = (options: {
  now: () => number
  keysMax: number
  meter: () => Meter
}): RateLimiter => {
  const { now, keysMax, meter } = options
  /** In order of use. */
  const meters = new Map<string, Meter>()
  const counts: RateLimiterCounts = { refused: 0, forgotten: 0 }

  const forgetHalf = (): void => {
    for (const key of meters.keys()) {
      if (meters.size <= keysMax / 2) return
      meters.delete(key)
      counts.forgotten += 1
    }
  }
  const meterOf = (key: string): Meter => {
    const known = meters.get(key) ?? meter()
    meters.delete(key)
    if (meters.size >= keysMax) forgetHalf()
    meters.set(key, known)
    return known
  }
  return {
    take: (key) => {
      const nowMs = now()
      const ofKey = meterOf(key)
      if (ofKey.take(nowMs)) return 0
      counts.refused += 1
      return Math.max(1, ofKey.resetMs(nowMs))
    },
    allows: (key) => (meters.get(key)?.left(now()) ?? 1) >= 1,
    get size() {
      return meters.size
    },
    counts,
  }
}

/** At most `limit` in each window of the clock. Up to twice the limit may pass around the end of a window. */
export const createFixedWindow = (limit: number, windowMs: number): Meter => {
  let window = Number.NaN
  let count = 0
  const begin = (nowMs: number): void => {
    const current = Math.floor(nowMs / windowMs)
    if (current !== window) count = 0
    window = current
  }
  return {
    take: (nowMs) => {
      begin(nowMs)
      if (count >= limit) return false
      count += 1
      return true
    },
    left: (nowMs) => {
      begin(nowMs)
      return limit - count
    },
    resetMs: (nowMs) => {
      begin(nowMs)
      return count === 0 ? 0 : (window + 1) * windowMs - nowMs
    },
  }
}

/** Allows `burst` at once and refills at a steady rate. */
export const createTokenBucket = (perSecond: number, burst: number): Meter => {
  let tokens = burst
  let atMs = Number.NaN
  const refill = (nowMs: number): void => {
    const sinceMs = Math.max(0, nowMs - atMs)
    if (!Number.isNaN(sinceMs)) tokens = Math.min(burst, tokens + (perSecond * sinceMs) / 1_000)
    atMs = nowMs
  }
  return {
    take: (nowMs) => {
      refill(nowMs)
      if (tokens < 1) return false
      tokens -= 1
      return true
    },
    left: (nowMs) => {
      refill(nowMs)
      return Math.floor(tokens)
    },
    resetMs: (nowMs) => {
      refill(nowMs)
      const missing = tokens < 1 ? 1 - tokens : Math.min(1, burst - tokens)
      return (missing / perSecond) * 1_000
    },
  }
}
