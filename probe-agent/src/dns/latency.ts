/** The time that a resolver took to answer lately, ms. */
export type Latency = {
  add(ms: number, nowMs: number): void
  /** How long to wait for an answer, ms. */
  timeoutMs(nowMs: number): number
}

/** As c-ares does: five times the mean of a minute, within bounds. */
const factor = 5
const countMin = 3
const bounds = { leastMs: 250, mostMs: 5_000 }
const minuteMs = 60_000

type Sum = { count: number; ms: number }

/** @param firstMs before there are enough answers */
export const createLatency = (firstMs: number): Latency => {
  let minute = 0
  let current: Sum = { count: 0, ms: 0 }
  let previous: Sum = { count: 0, ms: 0 }
  const ever: Sum = { count: 0, ms: 0 }

  const turn = (nowMs: number): void => {
    const at = Math.floor(nowMs / minuteMs)
    if (at === minute) return
    previous = at === minute + 1 ? current : { count: 0, ms: 0 }
    current = { count: 0, ms: 0 }
    minute = at
  }
  return {
    add: (ms, nowMs) => {
      turn(nowMs)
      for (const sum of [current, ever]) {
        sum.count += 1
        sum.ms += Math.max(1, ms)
      }
    },
    timeoutMs: (nowMs) => {
      turn(nowMs)
      const known = [current, previous, ever].find(({ count }) => count >= countMin)
      const ms = known === undefined ? firstMs : (known.ms / known.count) * factor
      return Math.round(Math.min(bounds.mostMs, Math.max(bounds.leastMs, ms)))
    },
  }
}
