import { createRateLimiter, createTokenBucket, type RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { wholeSeconds } from '@probe-mesh/runtime/retry-after'
import { relayRequestBounds, type RelayRequestKind } from '@probe-mesh/contracts/agent/relay'

export type Entered = { leave(): void }

export type TokenRates = {
  /** Counts a request of a token, or refuses it with the reason and the seconds to wait. */
  enter(
    tokenHash: string,
    kind: RelayRequestKind,
  ): Entered | { refused: 'in_flight' | 'rate'; retryAfterSeconds: number }
}

/** The most tokens that are remembered. */
const tokensMax = 10_000

/**
 * Limits the requests of a private agent's token, in the memory of each process and before the token is
 * looked up.
 */
export const createTokenRates = (now: () => number): TokenRates => {
  const { inFlight, rates } = relayRequestBounds
  const underWay = new Map<string, number>()
  const limiterOf = (kind: RelayRequestKind): RateLimiter =>
    createRateLimiter({
      now,
      keysMax: tokensMax,
      meter: () => createTokenBucket(rates[kind].perSecond, rates[kind].burst),
    })
  const limiters = new Map<RelayRequestKind, RateLimiter>()
  const leave = (tokenHash: string): void => {
    const left = (underWay.get(tokenHash) ?? 0) - 1
    if (left > 0) underWay.set(tokenHash, left)
    else underWay.delete(tokenHash)
  }
  return {
    enter: (tokenHash, kind) => {
      const running = underWay.get(tokenHash) ?? 0
      if (running >= inFlight) return { refused: 'in_flight', retryAfterSeconds: 1 }
      const limiter = limiters.get(kind) ?? limiterOf(kind)
      limiters.set(kind, limiter)
      const waitMs = limiter.take(tokenHash)
      if (waitMs > 0) return { refused: 'rate', retryAfterSeconds: wholeSeconds(waitMs) }
      underWay.set(tokenHash, running + 1)
      let isIn = true
      return {
        leave: () => {
          if (isIn) leave(tokenHash)
          isIn = false
        },
      }
    },
  }
}
