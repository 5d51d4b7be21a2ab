import { limits } from '@probe-mesh/contracts/limits'
import { agentPools } from '@probe-mesh/contracts/agent-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, NoPlace, Place, PoolBounds } from '@probe-mesh/runtime/fair-pool'

/** The right to run a page; released when all of it is gone. */
export type PagePlace = { release(): void }

/**
 * Bounds the pages that are open at once. Accounts take turns. Runs that people ask for have a part of the pages
 * only, so that scheduled runs never wait for those alone.
 */
export type Pages = {
  /**
   * Waits for a place: the account with the fewest is next. `overloaded` when the wait or the queue is too long,
   * `stopped` when the signal aborts first.
   */
  take(
    run: { accountId: string; isAsked: boolean },
    signal: AbortSignal,
  ): Promise<PagePlace | 'overloaded' | 'stopped'>
  /** For the figures. */
  readonly pool: FairPool
  readonly asked: FairPool
}

/** @param bounds.waitMsMax the longest wait for a place, ms */
export const createPages = ({
  all = agentPools.pages.bounds,
  asked: ofAsked = agentPools.pagesAsked.bounds,
  waitMsMax = limits.pageTurnMsMax,
}: { all?: PoolBounds; asked?: PoolBounds; waitMsMax?: number } = {}): Pages => {
  const pool = createFairPool(all)
  const asked = createFairPool(ofAsked)

  const takeAsked = async (accountId: string, signal: AbortSignal): Promise<Place | NoPlace> => {
    const startedAt = performance.now()
    const turn = await asked.take(accountId, { signal, waitMsMax })
    if (typeof turn === 'string') return turn
    const leftMs = Math.max(0, waitMsMax - (performance.now() - startedAt))
    const place = await pool.take(accountId, { signal, waitMsMax: leftMs })
    if (typeof place === 'string') {
      turn.release()
      return place
    }
    return {
      release: () => {
        place.release()
        turn.release()
      },
    }
  }
  return {
    take: async ({ accountId, isAsked }, signal) => {
      const place = isAsked
        ? await takeAsked(accountId, signal)
        : await pool.take(accountId, { signal, waitMsMax })
      return place === 'full' || place === 'timeout' ? 'overloaded' : place
    },
    pool,
    asked,
  }
}
