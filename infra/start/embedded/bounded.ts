import { setTimeout as wait } from 'node:timers/promises'

/** Whether `event` comes within `waitMs`. The event itself goes on either way. */
export const comesWithin = async (waitMs: number, event: Promise<unknown>): Promise<boolean> => {
  const ended = new AbortController()
  const late = wait(waitMs, false, { signal: ended.signal }).catch(() => false)
  try {
    return await Promise.race([event.then(() => true), late])
  } finally {
    ended.abort()
  }
}

/** Asks again every `everyMs` until `check` says yes; false when `waitMs` passed without a yes. */
export const becomesTrue = async (
  check: () => Promise<boolean>,
  bounds: { waitMs: number; everyMs: number },
): Promise<boolean> => {
  const end = performance.now() + bounds.waitMs
  for (;;) {
    if (await check()) return true
    if (performance.now() >= end) return false
    await wait(bounds.everyMs)
  }
}
