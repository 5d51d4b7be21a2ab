import { relayRequestBounds } from '@probe-mesh/contracts/agent/relay-request-bounds'
import type { RelayRequestKind } from '@probe-mesh/contracts/agent/relay-request-bounds'

/** What one token has under way and may still ask. */
type Token = {
  underWay: number
  left: Map<RelayRequestKind, { count: number; atMs: number }>
}

export type Entered = { leave(): void }

export type TokenRates = {
  /** One request more of a token; what it may not ask says why, and the seconds until it may. */
  enter(
    tokenHash: string,
    kind: RelayRequestKind,
  ): Entered | { refused: 'in_flight' | 'rate'; retryAfterSeconds: number }
}

/** Tokens with nothing under way that are remembered. */
const idleMax = 10_000

/**
 * What the token of a private agent may ask, counted by each process for itself, in memory and before the token
 * is looked up.
 */
export const createTokenRates = (now: () => number): TokenRates => {
  const tokens = new Map<string, Token>()

  /** Half of them at once: to find the first of a map walks over all that were deleted before. */
  const forget = (): void => {
    let more = tokens.size - idleMax / 2
    for (const [hash, { underWay }] of tokens) {
      if (more <= 0) return
      if (underWay > 0) continue
      tokens.delete(hash)
      more -= 1
    }
  }
  const moved = (hash: string): Token => {
    const token = tokens.get(hash) ?? { underWay: 0, left: new Map() }
    // the map keeps the order of use
    tokens.delete(hash)
    tokens.set(hash, token)
    return token
  }
  return {
    enter: (tokenHash, kind) => {
      const token = moved(tokenHash)
      if (tokens.size > idleMax) forget()
      const { inFlight, rates } = relayRequestBounds
      if (token.underWay >= inFlight) return { refused: 'in_flight', retryAfterSeconds: 1 }
      const { perSecond, burst } = rates[kind]
      const nowMs = now()
      const known = token.left.get(kind) ?? { count: burst, atMs: nowMs }
      const sinceMs = Math.max(0, nowMs - known.atMs)
      const count = Math.min(burst, known.count + (perSecond * sinceMs) / 1_000)
      const isRefused = count < 1
      token.left.set(kind, { count: isRefused ? count : count - 1, atMs: nowMs })
      if (isRefused) {
        return {
          refused: 'rate',
          retryAfterSeconds: Math.max(1, Math.ceil((1 - count) / perSecond)),
        }
      }
      token.underWay += 1
      let isIn = true
      return {
        leave: () => {
          if (isIn) token.underWay -= 1
          isIn = false
        },
      }
    },
  }
}
