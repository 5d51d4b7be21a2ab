import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import {
  createFairPool,
  type FairPool,
  type NoPlace,
  type Place,
  type PoolBounds,
} from '@probe-mesh/runtime/fair-pool'

/** The right to start a connection; released when the connection succeeded or failed. */
export type Handshake = { release(): void }

/**
 * Spreads the starts of connections, so that concurrent ones do not slow down each other's
 * measurements: a few start in each turn of the event loop, and a busy turn delays the next ones.
 * Waiting accounts take turns.
 */
export type Handshakes = {
  /**
   * Waits for a place: the account with the fewest is next. `overloaded` when the wait or the queue
   * is full, `stopped` when the signal aborts first.
   * @param work its processor cost: `handshakeWork`
   */
  begin(accountId: string, signal: AbortSignal, work: number): Promise<Handshake | 'overloaded' | 'stopped'>
  readonly inProgress: number
  readonly waiting: number
  /** For metrics. */
  readonly pool: FairPool
}

/** A TLS handshake costs as much as four plain connections. */
export const handshakeWork = { plain: 1, tls: 4 } as const

/**
 * Work started per turn of the event loop: six plain connections or one TLS handshake, which delays
 * measurements by less than 2 ms (`npm run bench -- probe`).
 */
const workPerTurn = 6

/** A longer handshake waits for the target, not for the processor: it releases its place. */
const heldMsMax = limits.handshakeHeldMsMax

export const createHandshakes = (
  bounds: PoolBounds = agentPools.handshakes.bounds,
  waitMsMax: number = limits.handshakeWaitMsMax,
): Handshakes => {
  /** Work started in this turn of the loop. */
  let workBegun = 0
  const turn = (): void => {
    workBegun = 0
    pool.resume()
  }
  const pool = createFairPool(bounds, {
    mayBegin: (work) => workBegun === 0 || workBegun + work <= workPerTurn,
    onBegin: (work) => {
      if (workBegun === 0) setImmediate(turn)
      workBegun += work
    },
  })
  const hold = (place: Place): Handshake => {
    const timer = setTimeout(() => place.release(), heldMsMax)
    return {
      release: () => {
        clearTimeout(timer)
        place.release()
      },
    }
  }

  return {
    begin: async (accountId, signal, cost) => {
      const wait = { signal, cost, waitMsMax }
      const place: Place | NoPlace = await pool.take(accountId, wait)
      if (typeof place !== 'string') return hold(place)
      return place === 'stopped' ? 'stopped' : 'overloaded'
    },
    get inProgress() {
      return pool.taken
    },
    get waiting() {
      return pool.waiting
    },
    pool,
  }
}
