import type { ErrorRule } from '@probe-mesh/contracts/error-tracking/error-rule'
import { waitingCount } from './hour-bound.ts'
import type { ErrorNews, HourBound } from './hour-bound.ts'

/** A rule as it is stored. */
export type ErrorRuleRecord = Omit<ErrorRule, 'createdAt' | 'waiting'> & {
  accountId: string
  /** Unix milliseconds. */
  createdAtMs: number
}

/** Whether a rule has anything to say of this. */
export const isTelling = (
  rule: Pick<ErrorRuleRecord, 'enabled' | 'events' | 'projectIds'>,
  { kind, projectId }: Pick<ErrorNews, 'kind' | 'projectId'>,
): boolean =>
  rule.enabled &&
  rule.events.includes(kind) &&
  (rule.projectIds === null || rule.projectIds.includes(projectId))

/** A rule as its account sees it, with what waits to be told. */
export const describeErrorRule = (
  rule: ErrorRuleRecord,
  waits: { bound: HourBound; tellAtMs: number | null } | null,
): ErrorRule => ({
  id: rule.id,
  name: rule.name,
  enabled: rule.enabled,
  projectIds: rule.projectIds,
  events: rule.events,
  spike: rule.spike,
  channelIds: rule.channelIds,
  emailUsers: rule.emailUsers,
  createdAt: new Date(rule.createdAtMs).toISOString(),
  waiting:
    waits === null || waits.tellAtMs === null
      ? null
      : { count: waitingCount(waits.bound), tellAt: new Date(waits.tellAtMs).toISOString() },
})
