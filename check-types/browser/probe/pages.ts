import { limits } from '@probe-mesh/contracts/schema/limits'
import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { createFairPool, type FairPool, type PoolBounds, type PoolGate } from '@probe-mesh/runtime/fair-pool'

/** The right to run a page; release it when the page is completely closed. */
export type PagePlace = { release(): void }

/** The run that needs a page. */
export type PageRun = {
  accountId: string
  /** Started by a person. */
  isOnDemand: boolean
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
  acquire(run: PageRun, signal: AbortSignal): Promise<PagePlace | 'overloaded' | 'stopped'>
  /** For metrics: scheduled runs and confirmations, runs on demand, and trials of Free accounts. */
  readonly pool: FairPool
  readonly onDemand: FairPool
  readonly trials: FairPool
}

/** @param bounds.waitMsMax the longest wait for a place, ms */
export const createPages = ({
  all = agentPools.pages.bounds,
  onDemand: onDemandBounds = agentPools.pagesAsked.bounds,
  trials: trialBounds = agentPools.pagesTried.bounds,
  waitMsMax = limits.pageTurnMsMax,
}: {
  all?: PoolBounds
  onDemand?: PoolBounds
  trials?: PoolBounds
  waitMsMax?: number
} = {}): Pages => {
  const free = (): number => all.places - pool.taken - onDemand.taken - trials.taken
  /** One page is reserved for runs on demand while they have none. */
  const reserved = (): number => (onDemand.waiting > 0 && onDemand.taken === 0 ? 1 : 0)
  const isUnused = (): boolean => onDemand.taken + onDemand.waiting + pool.waiting === 0

  const pool = createFairPool(
    all,
    gateOf(() => free() > reserved()),
  )
  const onDemand = createFairPool(
    onDemandBounds,
    gateOf(() => free() > 0),
  )
  const trials = createFairPool(
    trialBounds,
    gateOf(() => free() > 0 && isUnused()),
  )
  return {
    acquire: async ({ accountId, isOnDemand, isFreeTrial = false }, signal) => {
      const own = isFreeTrial ? trials : isOnDemand ? onDemand : pool
      const place = await own.take(accountId, { signal, waitMsMax })
      if (place === 'full' || place === 'timeout') return 'overloaded'
      if (place === 'stopped') return place
      return {
        release: () => {
          place.release()
          for (const next of [onDemand, pool, trials]) next.resume()
        },
      }
    },
    pool,
    onDemand,
    trials,
  }
}

const gateOf = (mayBegin: () => boolean): PoolGate => ({ mayBegin, onBegin: () => undefined })
