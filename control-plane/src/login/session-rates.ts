import { userRequestsPerMinute } from '@probe-mesh/contracts/api/request-pools'
import { createRateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { createSlidingWindow } from '@probe-mesh/runtime/sliding-window'

const perMinute = userRequestsPerMinute
const windowMs = 60_000
const usersMax = 10_000

export type SessionRates = {
  /** Counts one more. @returns 0 where it is allowed, else the seconds until one will be */
  take(userId: string, budget: keyof typeof perMinute): number
}

/**
 * Limits the requests of the sessions of one user: a new login brings no new budget. Counted by each process for
 * itself; of more users than fit, those idle for longest are forgotten.
 * @param scale the operator's factor (`BUDGET_SCALE`)
 */
export const createSessionRates = (now: () => number, scale = 1): SessionRates => {
  const limiterOf = (budget: keyof typeof perMinute) =>
    createRateLimiter({
      now,
      keysMax: usersMax,
      meter: () =>
        createSlidingWindow(Math.max(1, Math.floor(perMinute[budget] * scale)), windowMs),
    })
  const limiters = { reads: limiterOf('reads'), writes: limiterOf('writes') }
  return {
    take: (userId, budget) => {
      const waitMs = limiters[budget].take(userId)
      return waitMs === 0 ? 0 : wholeSeconds(waitMs)
    },
  }
}
