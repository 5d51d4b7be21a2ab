import { limits } from '@probe-mesh/contracts/schema/limits'
import type { BudgetName, CountedBudget } from './budgets-store.ts'
import { rateLimitPolicyOf } from './rate-limit-fields.ts'

/** What all instances count one budget by; the same for every key. */
export type Terms = Omit<CountedBudget, 'keyId' | 'accountId'> & {
  /** The largest block that an instance asks for; 0: places are taken one at a time. */
  spareMax: number
  /** The value of `RateLimit-Policy`. */
  policy: string
}

/** Blocks that die with their instance count for this much longer, besides the window. */
const blockMs = 1_000
/** A budget smaller than this is handed out place by place: a block would be a share of note. */
const quotaForBlocksMin = 60
/** A block is at most this share of the quota. */
const blocksPerQuota = 16
/** Slots that a window is kept in where the quota is larger: 250 ms each. */
const slotsMax = 240
/** Refused calls are told up to four windows ahead. */
const windowsPromised = 4
const promisesMax = 1_000

/**
 * The budgets of a key, for reads and for writes (S-2301).
 * @param scale the operator's factor on both budgets (`BUDGET_SCALE`), times the keys that are counted as one;
 *   one call is always left
 */
export const termsOf = (name: BudgetName, scale: number): Terms => {
  const perMinute = name === 'reads' ? limits.readsPerMinute : limits.writesPerMinute
  const quota = Math.max(1, Math.floor(perMinute * scale))
  const windowMs = limits.budgetWindowMs
  return {
    name,
    quota,
    windowMs,
    blockMs,
    slotMs: quota <= slotsMax ? 1 : windowMs / slotsMax,
    promisesMax: Math.min(promisesMax, windowsPromised * quota),
    spareMax: quota < quotaForBlocksMin ? 0 : Math.floor(quota / blocksPerQuota),
    policy: rateLimitPolicyOf(name, quota, windowMs),
  }
}
