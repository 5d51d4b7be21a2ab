import type { RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import type { IngestKey } from '../projects/ingest-keys-store.ts'
import type { CostBudget } from './cost-budget.ts'
import type { EventWindows } from './event-windows.ts'
import type { StreamBacklog } from './stream-backlog.ts'
import { nextMonthMs } from '../events/quota.ts'

/** The limit that dropped an event as `rate`. */
type LimitName = 'second' | 'share' | 'cost' | 'busy' | 'backlog'

/** A reached limit, and the time for which SDKs must not send events. */
export type Limited = { limit: LimitName; seconds: number }

/** The longest wait for an SDK, so that a raised quota takes effect within an hour. */
const secondsMax = 3_600
const busySeconds = 5

export const limitedFor = (limit: LimitName, waitMs: number): Limited => ({
  limit,
  seconds: Math.min(secondsMax, Math.max(1, Math.ceil(waitMs / 1_000))),
})
export const busy: Limited = { limit: 'busy', seconds: busySeconds }

export type IngestLimits = {
  /** Events per second, by project. */
  rate: RateLimiter
  windows: EventWindows
  costs: CostBudget
  backlog: StreamBacklog
  quotaOf(key: IngestKey): number
}

/** The sender of events: a key of a project, and a network. */
export type Source = { key: IngestKey; network: string }

/** The reached limit that drops all events of a body; null if one is allowed. Spends nothing. */
export const limitOf = (limits: IngestLimits, { key, network }: Source): Limited | null => {
  const { projectId, accountId } = key
  if (!limits.rate.allows(projectId)) return limitedFor('second', 0)
  if (limits.backlog.isFull(accountId)) return { limit: 'backlog', seconds: busySeconds }
  const waitMs = limits.windows.waitMs({ projectId, network, quota: limits.quotaOf(key) })
  return waitMs > 0 ? limitedFor('share', waitMs) : null
}

/** Counts one event for the stream. @returns the reached limit; null if the event is allowed */
export const spendShare = (limits: IngestLimits, { key, network }: Source): Limited | null => {
  const { projectId, accountId } = key
  if (limits.backlog.isFull(accountId)) return { limit: 'backlog', seconds: busySeconds }
  const waitMs = limits.windows.spend({ projectId, network, quota: limits.quotaOf(key) })
  return waitMs > 0 ? limitedFor('share', waitMs) : null
}

/** One limit in `X-Sentry-Rate-Limits`. */
export type RateLimit = {
  seconds: number
  scope: 'organization' | 'project'
  reason: 'usage_exceeded' | 'rate_limited' | 'unavailable'
}

/**
 * The value of `X-Sentry-Rate-Limits`: `<seconds>:<categories>:<scope>:<reason>`, separated by commas.
 * Without the category an SDK would hold back its client reports too.
 */
export const rateLimitsHeader = (limits: readonly RateLimit[]): string =>
  limits.map(({ seconds, scope, reason }) => `${seconds}:error:${scope}:${reason}`).join(', ')

/** The limit of an account with a used up quota: until the next month, at most an hour. */
export const quotaLimit = (nowMs: number): RateLimit => {
  const left = Math.ceil((nextMonthMs(nowMs) - nowMs) / 1_000)
  const seconds = Math.min(secondsMax, Math.max(1, left))
  return { seconds, scope: 'organization', reason: 'usage_exceeded' }
}
