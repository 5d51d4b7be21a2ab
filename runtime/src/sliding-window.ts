import type { Meter } from './rate-limiter.ts'

const firstCapacity = 16

/**
 * At most `limit` in any `windowMs`. Exact, since it stores each event until the event leaves the window. The
 * ring grows on demand, up to `limit` entries.
 */
export const createSlidingWindow = (limit: number, windowMs: number): Meter => {
  let ring = new Float64Array(Math.min(limit, firstCapacity))
  let first = 0
  let count = 0

  /** An event in the future is older than a clock that was set back; it no longer counts. */
  const isOutside = (atMs: number, nowMs: number): boolean => atMs <= nowMs - windowMs || atMs > nowMs
  const expire = (nowMs: number): void => {
    while (count > 0 && isOutside(ring[first] ?? 0, nowMs)) {
      first = first + 1 === ring.length ? 0 : first + 1
      count -= 1
    }
  }

  const grow = (): void => {
    const larger = new Float64Array(Math.min(limit, ring.length * 2))
    larger.set(ring.subarray(first), 0)
    larger.set(ring.subarray(0, first), ring.length - first)
    ring = larger
    first = 0
  }

  return {
    take: (nowMs) => {
      expire(nowMs)
      if (count >= limit) return false
      if (count === ring.length) grow()
      const next = first + count
      ring[next < ring.length ? next : next - ring.length] = nowMs
      count += 1
      return true
    },
    left: (nowMs) => {
      expire(nowMs)
      return limit - count
    },
    resetMs: (nowMs) => (count === 0 ? 0 : Math.max(0, (ring[first] ?? 0) + windowMs - nowMs)),
  }
}
