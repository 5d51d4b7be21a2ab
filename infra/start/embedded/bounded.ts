import { setTimeout as wait } from 'node:timers/promises'

/** Whether `event` resolves within `waitMs`. A late event is not cancelled. */
export const settlesWithin = async (waitMs: number, event: Promise<unknown>): Promise<boolean> => {
  const ended = new AbortController()
  const late = wait(waitMs, false, { signal: ended.signal }).catch(() => false)
  try {
    return await Promise.race([event.then(() => true), late])
  } finally {
    ended.abort()
  }
}

/** Repeats `check` every `everyMs` until it returns true. Returns false after `waitMs`. */
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
