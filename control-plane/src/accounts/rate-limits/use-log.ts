/**
 * Uses within the last `windowMs`. Uses less than `slotMs` apart are kept as one, at the latest instant, so
 * that the log is bounded; with a slot of 1 ms it is exact.
 */
export type UseLog = {
  add(nowMs: number): void
  /** Uses that have not left the window. */
  count(nowMs: number): number
  /** When the n-th oldest use (from 1) leaves the window; at the latest when the newest does. */
  leavesMs(nth: number, nowMs: number): number
  /** Age and number of uses, oldest first. */
  ages(nowMs: number): [ageMs: number, places: number][]
}

/** Expired slots are cut off once there are more than this number. */
const goneMax = 64

export const createUseLog = (windowMs: number, slotMs: number): UseLog => {
  let slots: { atMs: number; places: number }[] = []
  let gone = 0
  let total = 0

  const expire = (nowMs: number): void => {
    for (let slot = slots[gone]; slot !== undefined && slot.atMs <= nowMs - windowMs; slot = slots[gone]) {
      total -= slot.places
      gone += 1
    }
    if (gone > goneMax) {
      slots = slots.slice(gone)
      gone = 0
    }
  }

  return {
    add: (nowMs) => {
      expire(nowMs)
      total += 1
      const last = total === 1 ? undefined : slots.at(-1)
      if (last !== undefined && Math.ceil(last.atMs / slotMs) >= Math.ceil(nowMs / slotMs)) {
        last.atMs = Math.max(last.atMs, nowMs)
        last.places += 1
      } else {
        slots.push({ atMs: nowMs, places: 1 })
      }
    },
    count: (nowMs) => {
      expire(nowMs)
      return total
    },
    leavesMs: (nth, nowMs) => {
      expire(nowMs)
      let before = 0
      for (let at = gone; at < slots.length; at++) {
        const slot = slots[at]
        before += slot?.places ?? 0
        if (slot !== undefined && before >= nth) return slot.atMs + windowMs
      }
      return (slots.at(-1)?.atMs ?? nowMs) + windowMs
    },
    ages: (nowMs) => {
      expire(nowMs)
      return slots.slice(gone).map(({ atMs, places }) => [Math.max(0, nowMs - atMs), places])
    },
  }
}
