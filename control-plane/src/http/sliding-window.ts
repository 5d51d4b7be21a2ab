/**
 * How often something happened within the last `windowMs`: exact, since every instant is kept until
 * it leaves the window. The ring grows with what happens and never beyond `limit` entries.
 */
export type SlidingWindow = {
  /** Counts one more at `nowMs`, unless the limit is reached. @returns whether it was counted */
  take(nowMs: number): boolean
  /** How many more may be taken at `nowMs`. */
  left(nowMs: number): number
  /** Milliseconds until the oldest one counted leaves the window; 0 when there is none. */
  resetMs(nowMs: number): number
}

const firstCapacity = 16

export const createSlidingWindow = (limit: number, windowMs: number): SlidingWindow => {
  let ring = new Float64Array(Math.min(limit, firstCapacity))
  let first = 0
  let count = 0

  const expire = (nowMs: number): void => {
    while (count > 0 && (ring[first] ?? 0) <= nowMs - windowMs) {
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
