import { rateLimits } from '@probe-mesh/contracts/account/rate-limits'
import type { QuotaName, CountedQuota } from './quota-store.ts'

/** The value of `RateLimit-Policy` (draft-ietf-httpapi-ratelimit-headers-11). */
export const rateLimitPolicyOf = (name: string, quota: number, windowMs: number): string =>
  `"${name}";q=${quota};w=${windowMs / 1000}`

/** The value of `RateLimit`. */
export const rateLimitOf = (name: string, left: number, resetMs: number): string =>
  `"${name}";r=${left};t=${Math.ceil(resetMs / 1000)}`

/** How all instances count one quota; the same for every key. */
export type QuotaRules = Omit<CountedQuota, 'keyId' | 'accountId'> & {
  /** The largest block that an instance leases; 0: calls are counted one at a time. */
  blockPlacesMax: number
  /** The value of `RateLimit-Policy`. */
  policy: string
}

/**
 * How long a leased block may be used. A block that is lost with its instance counts for this time and the
 * window.
 */
const blockMs = 1_000
/** A smaller quota is not leased in blocks: a block would be too large a share of it. */
const quotaForBlocksMin = 60
/** A block is at most this share of the quota. */
const blocksPerQuota = 16
/** A window of a larger quota is kept in this number of slots, 250 ms each. */
const slotsMax = 240
/** Refused calls are promised a place up to four windows ahead. */
const windowsPromised = 4
const promisesMax = 1_000

/**
 * The quotas of a key, for reads and for writes (S-2301).
 * @param scale the operator's factor on both quotas (`BUDGET_SCALE`), times the number of keys counted as
 * one; a quota is never below one call
 */
export const quotaRulesOf = (name: QuotaName, scale: number): QuotaRules => {
  const perMinute = name === 'reads' ? rateLimits.readsPerMinute : rateLimits.writesPerMinute
  const quota = Math.max(1, Math.floor(perMinute * scale))
  const windowMs = rateLimits.windowMs
  return {
    name,
    quota,
    windowMs,
    blockMs,
    slotMs: quota <= slotsMax ? 1 : windowMs / slotsMax,
    promisesMax: Math.min(promisesMax, windowsPromised * quota),
    blockPlacesMax: quota < quotaForBlocksMin ? 0 : Math.floor(quota / blocksPerQuota),
    policy: rateLimitPolicyOf(name, quota, windowMs),
  }
}
