import { agentPools } from '@probe-mesh/contracts/agent/agent-pools'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { createFairPool } from '@probe-mesh/runtime/fair-pool'
import type { FairPool, Place, PoolBounds } from '@probe-mesh/runtime/fair-pool'
import type { LineBound } from '../http1/lines.ts'

/** Room for response headers that are larger than `limits.headerBytesMax`: one bound for all in flight. */
export type LargeHeads = {
  /** @returns null where there is none: all of it, or the account's share, is taken */
  take(accountId: string): Place | null
  /** For the figures. */
  readonly pool: FairPool
}

export const createLargeHeads = (bounds: PoolBounds = agentPools.largeHeads.bounds): LargeHeads => {
  const pool = createFairPool(bounds)
  return { take: (accountId) => pool.takeNow(accountId), pool }
}

/** What one request's answer may take of it. */
export type HeadRoom = LineBound & {
  isRefused(): boolean
  release(): void
}

/** @param take called once, when the headers are larger than those that have room of themselves */
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
