import type { ErrorRule } from '../contracts/error-rule.ts'
import { waitingCount, type ErrorNotice, type HourBound } from './hour-bound.ts'

/** A stored rule. */
export type ErrorRuleRecord = Omit<ErrorRule, 'createdAt' | 'waiting'> & {
  accountId: string
  /** Unix milliseconds. */
  createdAtMs: number
}

/** Whether a rule notifies about this kind of event in this project. */
export const ruleCovers = (
  rule: Pick<ErrorRuleRecord, 'enabled' | 'events' | 'projectIds'>,
  { kind, projectId }: Pick<ErrorNotice, 'kind' | 'projectId'>,
): boolean =>
  rule.enabled &&
  rule.events.includes(kind) &&
  (rule.projectIds === null || rule.projectIds.includes(projectId))

/** A rule for the API, with the notices that wait for its digest. */
export const describeErrorRule = (
  rule: ErrorRuleRecord,
  pending: { bound: HourBound; digestAtMs: number | null } | null,
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
    pending === null || pending.digestAtMs === null
      ? null
      : { count: waitingCount(pending.bound), tellAt: new Date(pending.digestAtMs).toISOString() },
})
