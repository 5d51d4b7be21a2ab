/** Keys in memory; the least recently used one goes first. */
const keysMax = 50_000

export type PingRate = { allows(pingKey: string): boolean; size(): number }

/**
 * At most `limit` pings of one key in any second, counted by each process: a job that pings in a loop must
 * not slow down others.
 */
export const createPingRate = (options: {
  now: () => number
  limit: number
  keysMax?: number
}): PingRate => {
  const { now, limit } = options
  const max = options.keysMax ?? keysMax
  const recent = new Map<string, number[]>()
  return {
    allows: (pingKey) => {
      const nowMs = now()
      const times = (recent.get(pingKey) ?? []).filter((time) => Math.abs(nowMs - time) < 1_000)
      const allowed = times.length < limit
      if (allowed) times.push(nowMs)
      // the map keeps the order of use
      recent.delete(pingKey)
      recent.set(pingKey, times)
      const eldest = recent.size > max ? recent.keys().next().value : undefined
      if (eldest !== undefined) recent.delete(eldest)
      return allowed
    },
    size: () => recent.size,
  }
}
