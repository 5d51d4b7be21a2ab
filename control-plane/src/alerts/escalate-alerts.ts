import { isCovered, type HoldingWindow } from '../maintenance/maintenance-hold.ts'
import { findPolicies, type PolicyRecord } from '../on-call/policies-store.ts'
import { findSchedules, type ScheduleRecord } from '../on-call/schedules-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertRuleRecord } from './alert-rule.ts'
import { escalate, targetsOf, type ReachedLevel } from './escalation.ts'
import { findReceivers } from './receivers.ts'
import type { Alert } from './when-to-alert.ts'

/** The policies that rules name, with whom they mean now. */
export type Escalations = {
  policies: ReadonlyMap<string, PolicyRecord>
  schedules: ReadonlyMap<string, ScheduleRecord>
  known: ReadonlySet<string>
}

/** null: none of these rules names a policy. */
export const findEscalations = async (
  tx: Transaction,
  rules: readonly AlertRuleRecord[],
): Promise<Escalations | null> => {
  const naming = rules.filter(({ escalationId }) => escalationId !== null)
  if (naming.length === 0) return null
  const accountIds = [...new Set(naming.map(({ accountId }) => accountId))]
  const [policies, schedules, receivers] = await Promise.all([
    findPolicies(tx, accountIds),
    findSchedules(tx, accountIds),
    findReceivers(tx, accountIds),
  ])
  return {
    policies: new Map(policies.map((each) => [each.id, each])),
    schedules: new Map(schedules.map((each) => [each.id, each])),
    known: new Set(receivers.map(({ id }) => id)),
  }
}

type Escalated = { alert: Alert; policy: PolicyRecord | null; reached: ReachedLevel[] }

/** An alert after the levels whose time has come, unless somebody has taken it, or it is snoozed or held. */
export const escalateAlert = (
  alert: Alert,
  { escalationId }: Pick<AlertRuleRecord, 'escalationId'>,
  found: Escalations | null,
  windows: readonly HoldingWindow[],
  nowMs: number,
): Escalated => {
  const policy = found?.policies.get(escalationId ?? '')
  if (policy === undefined || found === null || alert.phase !== 'alerted') {
    return { alert, policy: null, reached: [] }
  }
  const isTaken = alert.acknowledged !== undefined || alert.resolved !== undefined
  if (isTaken || (alert.snoozedUntilMs ?? 0) > nowMs || isCovered(windows, nowMs)) {
    return { alert, policy, reached: [] }
  }
  const isKnown = (id: string): boolean => found.known.has(id)
  const { state, reached } = escalate(
    alert.escalation ?? null,
    policy,
    (level) => targetsOf(level, found.schedules, isKnown, nowMs),
    nowMs,
  )
  return { alert: { ...alert, escalation: state }, policy, reached }
}

/** Whom the first level that reaches anybody means: the receivers of an alert that was over before it was noticed. */
export const firstTargets = (
  { escalationId }: Pick<AlertRuleRecord, 'escalationId'>,
  found: Escalations | null,
  nowMs: number,
): readonly string[] => {
  const policy = found?.policies.get(escalationId ?? '')
  if (policy === undefined || found === null) return []
  const isKnown = (id: string): boolean => found.known.has(id)
  for (const level of policy.levels) {
    const { receiverIds } = targetsOf(level, found.schedules, isKnown, nowMs)
    if (receiverIds.length > 0) return receiverIds
  }
  return []
}

/** When the next level is due; null: none, or somebody has taken the alert. */
export const escalationDueMs = ({
  escalation,
  acknowledged,
  resolved,
  snoozedUntilMs = 0,
}: Alert): number | null => {
  const dueMs = escalation?.next?.dueMs
  if (dueMs === undefined || acknowledged !== undefined || resolved !== undefined) return null
  return Math.max(dueMs, snoozedUntilMs)
}
