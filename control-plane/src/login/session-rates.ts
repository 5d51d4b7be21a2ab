import { userRequestsPerMinute } from '@probe-mesh/contracts/api/request-pools'
import { createSlidingWindow } from '../http/sliding-window.ts'
import type { SlidingWindow } from '../http/sliding-window.ts'

const perMinute = userRequestsPerMinute
const windowMs = 60_000
const usersMax = 10_000

export type SessionRates = {
  /** Counts one more. @returns 0 where it is allowed, else the seconds until one will be */
  take(userId: string, budget: keyof typeof perMinute): number
}

/**
 * What the sessions of one user may ask for: a new login brings no new budget. Counted by each process for
 * itself; of more users than fit, the one quiet for longest is forgotten.
 * @param scale the operator's factor (`BUDGET_SCALE`)
 */
export const createSessionRates = (now: () => number, scale = 1): SessionRates => {
  const windowOf = (budget: keyof typeof perMinute): SlidingWindow =>
    createSlidingWindow(Math.max(1, Math.floor(perMinute[budget] * scale)), windowMs)
  const users = new Map<string, Record<keyof typeof perMinute, SlidingWindow>>()
  return {
    take: (userId, budget) => {
      const nowMs = now()
      const windows = users.get(userId) ?? {
        reads: windowOf('reads'),
        writes: windowOf('writes'),
      }
      // the map keeps the order of use
      users.delete(userId)
      users.set(userId, windows)
      const eldest = users.size > usersMax ? users.keys().next().value : undefined
      if (eldest !== undefined) users.delete(eldest)
      const window = windows[budget]
      return window.take(nowMs) ? 0 : Math.max(1, Math.ceil(window.resetMs(nowMs) / 1000))
    },
  }
}
