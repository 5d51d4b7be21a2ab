import { createSlidingWindow } from './sliding-window.ts'
import type { SlidingWindow } from './sliding-window.ts'

/** What one session may ask for in a minute: a person with several pages open, not a program. */
const perMinute = { reads: 600, writes: 60 } as const
const windowMs = 60_000
const sessionsMax = 10_000

export type SessionRates = {
  /** Counts one more. @returns 0 where it is allowed, else the seconds until one will be */
  take(sessionId: string, budget: keyof typeof perMinute): number
}

/** Counted by each process for itself; of more sessions than fit, the one quiet for longest is forgotten. */
export const createSessionRates = (now: () => number): SessionRates => {
  const sessions = new Map<string, Record<keyof typeof perMinute, SlidingWindow>>()
  return {
    take: (sessionId, budget) => {
      const nowMs = now()
      const windows = sessions.get(sessionId) ?? {
        reads: createSlidingWindow(perMinute.reads, windowMs),
        writes: createSlidingWindow(perMinute.writes, windowMs),
      }
      // the map keeps the order of use
      sessions.delete(sessionId)
      sessions.set(sessionId, windows)
      const eldest = sessions.size > sessionsMax ? sessions.keys().next().value : undefined
      if (eldest !== undefined) sessions.delete(eldest)
      const window = windows[budget]
      return window.take(nowMs) ? 0 : Math.max(1, Math.ceil(window.resetMs(nowMs) / 1000))
    },
  }
}
