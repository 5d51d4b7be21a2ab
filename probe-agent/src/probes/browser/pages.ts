import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, PoolBounds, PoolGate } from '@probe-mesh/runtime/fair-pool'

/** The right to run a page; released when all of it is gone. */
export type PagePlace = { release(): void }

/** Whose page it is. */
export type PageRun = {
  accountId: string
  /** By a person. */
  isAsked: boolean
  /** Of what is asked: a trial of an account that pays nothing. */
  isFreeTrial?: boolean
}

/**
 * Bounds the pages that are open at once. Accounts take turns. Runs that people ask for have one page at most, and
 * the next that comes free while they have none: neither they nor scheduled runs wait for the others alone. Trials
 * of free accounts have a page only while nobody else waits and no other run that was asked for has one.
 */
export type Pages = {
  /**
   * Waits for a place: the account with the fewest is next. `overloaded` when the wait or the queue is too long,
   * `stopped` when the signal aborts first.
   */
  take(run: PageRun, signal: AbortSignal): Promise<PagePlace | 'overloaded' | 'stopped'>
  /** For the figures: scheduled runs and confirmations, then what people ask for, then trials of free accounts. */
  readonly pool: FairPool
  readonly asked: FairPool
  readonly tried: FairPool
}

/** @param bounds.waitMsMax the longest wait for a place, ms */
export const createPages = ({
  all = agentPools.pages.bounds,
  asked: ofAsked = agentPools.pagesAsked.bounds,
  tried: ofTried = agentPools.pagesTried.bounds,
  waitMsMax = limits.pageTurnMsMax,
}: {
  all?: PoolBounds
  asked?: PoolBounds
  tried?: PoolBounds
  waitMsMax?: number
} = {}): Pages => {
  const free = (): number => all.places - pool.taken - asked.taken - tried.taken
  /** One page is for who asks, while they have none. */
  const kept = (): number => (asked.waiting > 0 && asked.taken === 0 ? 1 : 0)
  const isNobodyElse = (): boolean => asked.taken + asked.waiting + pool.waiting === 0

  const pool = createFairPool(
    all,
    gateOf(() => free() > kept()),
  )
  const asked = createFairPool(
    ofAsked,
    gateOf(() => free() > 0),
  )
  const tried = createFairPool(
    ofTried,
    gateOf(() => free() > 0 && isNobodyElse()),
  )
  return {
    take: async ({ accountId, isAsked, isFreeTrial = false }, signal) => {
      const own = isFreeTrial ? tried : isAsked ? asked : pool
      const place = await own.take(accountId, { signal, waitMsMax })
      if (place === 'full' || place === 'timeout') return 'overloaded'
      if (place === 'stopped') return place
      return {
        release: () => {
          place.release()
          for (const next of [asked, pool, tried]) next.resume()
        },
      }
    },
    pool,
    asked,
    tried,
  }
}

const gateOf = (mayBegin: () => boolean): PoolGate => ({ mayBegin, onBegin: () => undefined })
