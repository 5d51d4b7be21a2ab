import { limits } from '@probe-mesh/contracts/limits'
import { createSlidingWindow } from './sliding-window.ts'
import type { SlidingWindow } from './sliding-window.ts'

export type BudgetName = 'reads' | 'writes'

/** What a budget says of itself after a call: the values of the `RateLimit` header fields. */
export type BudgetState = {
  allowed: boolean
  /** `RateLimit-Policy` and `RateLimit` of draft-ietf-httpapi-ratelimit-headers-11 */
  policy: string
  rateLimit: string
  retryAfterSeconds: number
}

/** "Keyed reads 120 per minute per key, keyed writes 30 per minute per key" (specification). */
export type Budgets = {
  /** Spends one call of a key's budget. */
  spend(keyId: string, budget: BudgetName): BudgetState
  /** The state without spending: for calls that are refused before they cost anything. */
  look(keyId: string, budget: BudgetName): BudgetState
  left(keyId: string): { reads: number; writes: number }
  /** Keys remembered at this moment. */
  size(): number
}

/** Keys remembered at a time; beyond, those that have been quiet for a window are forgotten. */
const keysMax = 20_000

/** @param scale the operator's factor on both budgets (`BUDGET_SCALE`) */
export const createBudgets = (options: { now: () => number; scale: number }): Budgets => {
  const { now, scale } = options
  const quotas = {
    reads: Math.max(1, Math.floor(limits.readsPerMinute * scale)),
    writes: Math.max(1, Math.floor(limits.writesPerMinute * scale)),
  }
  const windowSeconds = limits.budgetWindowMs / 1000
  const policies = {
    reads: `"reads";q=${quotas.reads};w=${windowSeconds}`,
    writes: `"writes";q=${quotas.writes};w=${windowSeconds}`,
  }
  const keys = new Map<string, Record<BudgetName, SlidingWindow>>()

  const windowsOf = (keyId: string): Record<BudgetName, SlidingWindow> => {
    const known = keys.get(keyId)
    if (known !== undefined) return known
    if (keys.size >= keysMax) forgetQuiet()
    const windows = {
      reads: createSlidingWindow(quotas.reads, limits.budgetWindowMs),
      writes: createSlidingWindow(quotas.writes, limits.budgetWindowMs),
    }
    keys.set(keyId, windows)
    return windows
  }

  const forgetQuiet = (): void => {
    const nowMs = now()
    for (const [keyId, { reads, writes }] of keys) {
      if (reads.left(nowMs) === quotas.reads && writes.left(nowMs) === quotas.writes) {
        keys.delete(keyId)
      }
    }
    // all of them busy: the one known longest starts afresh
    const eldest = keys.size >= keysMax ? keys.keys().next().value : undefined
    if (eldest !== undefined) keys.delete(eldest)
  }

  const state = (
    window: SlidingWindow,
    budget: BudgetName,
    allowed: boolean,
    nowMs: number,
  ): BudgetState => {
    const left = window.left(nowMs)
    const resetSeconds = Math.ceil(window.resetMs(nowMs) / 1000)
    return {
      allowed,
      policy: policies[budget],
      rateLimit: `"${budget}";r=${left};t=${resetSeconds}`,
      retryAfterSeconds: Math.max(1, resetSeconds),
    }
  }

  return {
    spend: (keyId, budget) => {
      const nowMs = now()
      const window = windowsOf(keyId)[budget]
      return state(window, budget, window.take(nowMs), nowMs)
    },
    look: (keyId, budget) => {
      const nowMs = now()
      const window = windowsOf(keyId)[budget]
      return state(window, budget, window.left(nowMs) > 0, nowMs)
    },
    left: (keyId) => {
      const nowMs = now()
      const { reads, writes } = windowsOf(keyId)
      return { reads: reads.left(nowMs), writes: writes.left(nowMs) }
    },
    size: () => keys.size,
  }
}
