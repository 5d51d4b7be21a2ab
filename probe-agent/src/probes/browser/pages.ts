import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, PoolBounds, PoolGate } from '@probe-mesh/runtime/fair-pool'

/** The right to run a page; release it when the page is completely closed. */
export type PagePlace = { release(): void }

/** The run that needs a page. */
export type PageRun = {
  accountId: string
  /** Started by a person. */
  isAsked: boolean
  /** A trial on demand by an account of the Free plan. */
  isFreeTrial?: boolean
}

/**
 * Limits the open pages. Accounts take turns. Runs on demand have at most one page, and get the
 * next free one while they have none: neither they nor scheduled runs wait only for the others.
 * Trials of Free accounts get a page only while no other run waits and no other run on demand has
 * one.
 */
export type Pages = {
  /**
   * Waits for a place: the account with the fewest is next. `overloaded` when the wait or the queue
   * is too long, `stopped` when the signal aborts first.
   */
  take(run: PageRun, signal: AbortSignal): Promise<PagePlace | 'overloaded' | 'stopped'>
  /** For metrics: scheduled runs and confirmations, runs on demand, and trials of Free accounts. */
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
  /** One page is reserved for runs on demand while they have none. */
  const reserved = (): number => (asked.waiting > 0 && asked.taken === 0 ? 1 : 0)
  const isUnused = (): boolean => asked.taken + asked.waiting + pool.waiting === 0

  const pool = createFairPool(
    all,
    gateOf(() => free() > reserved()),
  )
  const asked = createFairPool(
    ofAsked,
    gateOf(() => free() > 0),
  )
  const tried = createFairPool(
    ofTried,
    gateOf(() => free() > 0 && isUnused()),
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
