import type { RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import type { DoorKey } from '../projects/error-door-store.ts'
import type { CostBudget } from './cost-budget.ts'
import type { EventWindows } from './event-windows.ts'
import type { StreamBacklog } from './stream-backlog.ts'
import { nextMonthMs } from '../events/quota.ts'

/** Which bound an event met that is dropped as `rate`. */
type LimitName = 'second' | 'share' | 'cost' | 'busy' | 'backlog'

/** A bound that was met, and for how long clients are asked to send nothing. */
export type Limited = { limit: LimitName; seconds: number }

/** Longer than this no client is asked to wait, so that a raised quota shows within an hour. */
const secondsMax = 3_600
const busySeconds = 5

export const limitedFor = (limit: LimitName, waitMs: number): Limited => ({
  limit,
  seconds: Math.min(secondsMax, Math.max(1, Math.ceil(waitMs / 1_000))),
})
export const busy: Limited = { limit: 'busy', seconds: busySeconds }

export type DoorLimits = {
  /** Of each project. */
  rate: RateLimiter
  windows: EventWindows
  costs: CostBudget
  backlog: StreamBacklog
  quotaOf(key: DoorKey): number
}

/** Whose events are judged: a project's, from one network. */
export type Source = { key: DoorKey; network: string }

/** Why none of a body's events can be taken; null where one may. What is left is not spent by asking. */
export const limitOf = (limits: DoorLimits, { key, network }: Source): Limited | null => {
  const { projectId, accountId } = key
  if (!limits.rate.allows(projectId)) return limitedFor('second', 0)
  if (limits.backlog.isFull(accountId)) return { limit: 'backlog', seconds: busySeconds }
  const waitMs = limits.windows.waitMs({ projectId, network, quota: limits.quotaOf(key) })
  return waitMs > 0 ? limitedFor('share', waitMs) : null
}

/** Takes what one event that goes on the stream uses; or why it may not. */
export const takeShare = (limits: DoorLimits, { key, network }: Source): Limited | null => {
  const { projectId, accountId } = key
  if (limits.backlog.isFull(accountId)) return { limit: 'backlog', seconds: busySeconds }
  const waitMs = limits.windows.take({ projectId, network, quota: limits.quotaOf(key) })
  return waitMs > 0 ? limitedFor('share', waitMs) : null
}

/** Why a client is asked to send no events for a while. */
export type RateLimit = {
  /** How long; more than an hour is never said, so that a raised quota shows within one. */
  seconds: number
  scope: 'organization' | 'project'
  reason: 'usage_exceeded' | 'rate_limited' | 'unavailable'
}

const limitSecondsMax = 3_600

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
