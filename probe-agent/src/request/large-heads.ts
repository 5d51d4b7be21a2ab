import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { createFairPool, type FairPool, type Place, type PoolBounds } from '@probe-mesh/runtime/fair-pool'
import type { LineBound } from '../http1/lines.ts'

/** Memory for response headers beyond `limits.headerBytesMax`, with one limit for all requests. */
export type LargeHeads = {
  /**
   * @returns null when the pool, or the account's share, is exhausted
   */
  take(accountId: string): Place | null
  /** For metrics. */
  readonly pool: FairPool
}

export const createLargeHeads = (bounds: PoolBounds = agentPools.largeHeads.bounds): LargeHeads => {
  const pool = createFairPool(bounds)
  return { take: (accountId) => pool.takeNow(accountId), pool }
}

/** The share of one request. */
export type HeadRoom = LineBound & {
  isRefused(): boolean
  release(): void
}

/**
 * @param take called once, when the headers exceed the normal limit
 */
export const createHeadRoom = (take: () => Place | null): HeadRoom => {
  let place: Place | null = null
  let isRefused = false
  return {
    bytes: limits.headerBytesMax,
    more: () => {
      if (place === null && !isRefused) {
        place = take()
        isRefused = place === null
      }
      return place === null ? limits.headerBytesMax : limits.largeHeaderBytesMax
    },
    isRefused: () => isRefused,
    release: () => {
      place?.release()
      place = null
    },
  }
}
