import { expiryDaysDefault, type AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'

/** A rule as it is stored. */
export type AlertRuleRecord = Omit<AlertRule, 'createdAt'> & {
  accountId: string
  /** Unix milliseconds. */
  createdAtMs: number
}

/**
 * The rule of a new account: every check that goes down alerts every channel immediately, and every member by mail
 * where mail is sent (S-1901).
 */
export const defaultRule = (accountId: string, nowMs: number, sendsMail = false): AlertRuleRecord => ({
  id: uuidv7(nowMs),
  accountId,
  name: 'Everything that goes down',
  enabled: true,
  checkIds: null,
  statuses: ['down'],
  unconfirmed: true,
  certificateDays: [...expiryDaysDefault],
  domainDays: [...expiryDaysDefault],
  afterSeconds: 0,
  channelIds: null,
  fallbackChannelId: null,
  emailUsers: sendsMail,
  userIds: [],
  addresses: [],
  escalationId: null,
  createdAtMs: nowMs,
})

/** Whether a rule applies to a check. No rule applies to a paused check. */
export const appliesTo = (
  rule: AlertRuleRecord,
  check: { id: string; accountId: string; paused: boolean },
): boolean =>
  rule.enabled &&
  !check.paused &&
  rule.accountId === check.accountId &&
  (rule.checkIds === null || rule.checkIds.includes(check.id))

/** A rule as its account sees it. */
export const describeAlertRule = (rule: AlertRuleRecord): AlertRule => ({
  id: rule.id,
  name: rule.name,
  enabled: rule.enabled,
  checkIds: rule.checkIds,
  statuses: rule.statuses,
  unconfirmed: rule.unconfirmed,
  certificateDays: rule.certificateDays,
  domainDays: rule.domainDays,
  afterSeconds: rule.afterSeconds,
  channelIds: rule.channelIds,
  fallbackChannelId: rule.fallbackChannelId,
  emailUsers: rule.emailUsers,
  userIds: rule.userIds,
  addresses: rule.addresses,
  escalationId: rule.escalationId,
  createdAt: new Date(rule.createdAtMs).toISOString(),
})
