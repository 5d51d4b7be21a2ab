import { userRequestsPerMinute } from '@probe-mesh/contracts/api/request-pools'
import { createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { createSlidingWindow } from '@probe-mesh/runtime/sliding-window'

const perMinute = userRequestsPerMinute
const windowMs = 60_000
const usersMax = 10_000

export type SessionRates = {
  /** Counts a request. @returns 0 if it is allowed, otherwise the seconds to wait */
  spend(userId: string, budget: keyof typeof perMinute): number
}

/**
 * Limits the requests of all sessions of a user together, so that a new login gives no new budget. Counted in
 * each process. Beyond the most users in memory, those that are idle for longest are dropped.
 * @param scale the operator's factor (`BUDGET_SCALE`)
 */
export const createSessionRates = (now: () => number, scale = 1): SessionRates => {
  const limiterOf = (budget: keyof typeof perMinute) =>
    createRateLimiter({
      now,
      keysMax: usersMax,
      meter: () => createSlidingWindow(Math.max(1, Math.floor(perMinute[budget] * scale)), windowMs),
    })
  const limiters = { reads: limiterOf('reads'), writes: limiterOf('writes') }
  return {
    spend: (userId, budget) => {
      const waitMs = limiters[budget].take(userId)
      return waitMs === 0 ? 0 : wholeSeconds(waitMs)
    },
  }
}
