import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, NoPlace, Place, PoolBounds } from '@probe-mesh/runtime/fair-pool'

/** The right to begin a connection; released when the connection stands or has failed. */
export type Handshake = { release(): void }

/**
 * Spreads the beginnings of connections, so that those in progress do not slow each other's
 * measurements: a few begin in each turn of the event loop, and a turn that has much to do for
 * those under way lets the next ones come later. Accounts that wait take turns.
 */
export type Handshakes = {
  /**
   * Waits for a place: the account with the fewest is next. `overloaded` when the wait or the queue is full,
   * `stopped` when the signal aborts first.
   * @param work what it costs our processor: `handshakeWork`
   */
  begin(
    accountId: string,
    signal: AbortSignal,
    work: number,
  ): Promise<Handshake | 'overloaded' | 'stopped'>
  readonly inProgress: number
  readonly waiting: number
  /** For the figures. */
  readonly pool: FairPool
}

/** A TLS handshake is worth the work of four plain connections. */
export const handshakeWork = { plain: 1, tls: 4 } as const

/**
 * The work begun in one turn of the loop: six plain connections or one TLS handshake, which makes
 * what is measured longer by less than 2 ms (`npm run bench -- probe`).
 */
const workPerTurn = 6

/** A handshake this long is waiting for the target, not for our processor: it gives up its place. */
const heldMsMax = limits.handshakeHeldMsMax

export const createHandshakes = (bounds: PoolBounds = agentPools.handshakes.bounds): Handshakes => {
  /** What has begun in this turn of the loop. */
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
      const wait = { signal, cost, waitMsMax: limits.handshakeWaitMsMax }
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
