import { nextMonthMs } from './quota.ts'

/** Why a client is asked to send no events for a while. */
export type RateLimit = {
  /** How long; more than an hour is never said, so that a raised quota shows within one. */
  seconds: number
  scope: 'organization' | 'project'
  reason: 'usage_exceeded' | 'rate_limited' | 'unavailable'
}

export const limitSecondsMax = 3_600

/**
 * The value of `X-Sentry-Rate-Limits`: `<seconds>:<categories>:<scope>:<reason>`, separated by commas.
 * The category is always named: without one an SDK holds back its client reports as well. Pure.
 */
export const rateLimitsHeader = (limits: readonly RateLimit[]): string =>
  limits.map(({ seconds, scope, reason }) => `${seconds}:error:${scope}:${reason}`).join(', ')

/** The limit of an account whose month is spent: until the next begins, or an hour. Pure. */
export const quotaLimit = (nowMs: number): RateLimit => {
  const left = Math.ceil((nextMonthMs(nowMs) - nowMs) / 1_000)
  const seconds = Math.min(limitSecondsMax, Math.max(1, left))
  return { seconds, scope: 'organization', reason: 'usage_exceeded' }
}
