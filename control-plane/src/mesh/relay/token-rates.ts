import { relayRequestBounds } from '@probe-mesh/contracts/agent/relay-request-bounds'
import type { RelayRequestKind } from '@probe-mesh/contracts/agent/relay-request-bounds'

/** The running requests of a token, and those it may still send. */
type Token = {
  underWay: number
  left: Map<RelayRequestKind, { count: number; atMs: number }>
}

export type Entered = { leave(): void }

export type TokenRates = {
  /** Counts a request of a token, or refuses it with the reason and the seconds to wait. */
  enter(
    tokenHash: string,
    kind: RelayRequestKind,
  ): Entered | { refused: 'in_flight' | 'rate'; retryAfterSeconds: number }
}

/** The most tokens without running requests that are remembered. */
const idleMax = 10_000

/**
 * Limits the requests of a private agent's token, in the memory of each process and before the token is
 * looked up.
 */
export const createTokenRates = (now: () => number): TokenRates => {
  const tokens = new Map<string, Token>()

  /** Removes half at once: finding the first entry of a map scans all entries deleted before it. */
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
