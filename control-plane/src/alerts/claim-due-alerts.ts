import { appliesTo } from './alert-rule.ts'
import { lockAlertRulesShared } from './alert-rules-store.ts'
import { claimDueAlerts, findDueChecks, writeAlerts } from './alerts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from './watched-checks-store.ts'
import type { AlertContext } from './context.ts'
import { dueAtMs, observeTime } from './when-to-alert.ts'
import type { Alert, Notice } from './when-to-alert.ts'
import type { WatchedCheck } from './evidence.ts'
import { nextLookMs } from '../maintenance/maintenance-hold.ts'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'
import { findHolds } from './find-holds.ts'
import type { HoldsOf } from './find-holds.ts'
import type { AlertRuleRecord } from './alert-rule.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { composeAlert } from './alert-message.ts'
import { addAlertMessages } from './alert-messages-store.ts'
import { findReceivers, receiversOf } from './receivers.ts'
import type { Receiver } from './receivers.ts'
import type { AlertMessageDraft } from './alert-messages-store.ts'

/**
 * Processes alerts that are due: their delay has passed, maintenance held them, or a reminder is due.
 * Alerts that their rule no longer applies to are closed without a notification.
 * @returns how many were due
 */
export const processDueAlerts = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const due = await findDueChecks(tx, nowMs, limit)
    if (due.length === 0) return 0
    const checks = await lockWatchedChecksShared(tx, due)
    const accountIds = new Set([...checks.values()].map(({ accountId }) => accountId))
    const rules = new Map((await lockAlertRulesShared(tx, [...accountIds])).map((rule) => [rule.id, rule]))
    const alerts = await claimDueAlerts(tx, [...checks.keys()], nowMs)
    const holdsOf = await findHolds(tx, due, { fromMs: nowMs, nowMs })
    const kept = alerts.flatMap(({ ruleId, checkId, state }) => {
      const [rule, check] = [rules.get(ruleId), checks.get(checkId)]
      if (rule === undefined || check === undefined) return []
      return [{ rule, check, alert: appliesTo(rule, check) ? state : null }]
    })
    await saveAlerts(context, tx, kept, [], holdsOf, nowMs)
    return kept.length
  })

/** An alert without anything due is visited too: a rule that no longer applies to it closes it. */
const visitMsMax = 3_600_000

/** When to process an alert again. */
export const nextVisitMs = (windows: readonly HoldingWindow[], alert: Alert, nowMs: number): number =>
  Math.min(nextLookMs(windows, dueAtMs(alert), nowMs), nowMs + visitMsMax)

/** The alert of a rule on a check; null: closed. */
export type RuleAlert = { rule: AlertRuleRecord; check: WatchedCheck; alert: Alert | null }

/** Applies the time that has passed to alerts, stores them, and notifies the receivers. */
export const saveAlerts = async (
  context: AlertContext,
  tx: Transaction,
  kept: readonly RuleAlert[],
  notices: readonly RuleNotice[],
  holdsOf: HoldsOf,
  nowMs: number,
): Promise<void> => {
  const latest = new Map(kept.map(({ rule, check, alert }) => [`${rule.id} ${check.id}`, alert]))
  const steps = kept.map(({ rule, check, alert }) => {
    const held = holdsOf(rule, check, alert, (ruleId, checkId) => latest.get(`${ruleId} ${checkId}`))
    const step = alert === null ? { alert, notices: [] } : observeTime(alert, held, nowMs)
    const nextAtMs = step.alert === null ? nowMs : nextVisitMs(held, step.alert, nowMs)
    return { rule, check, step, nextAtMs }
  })
  await writeAlerts(
    tx,
    steps.map(({ rule, check, step, nextAtMs }) => ({
      ruleId: rule.id,
      checkId: check.id,
      accountId: check.accountId,
      state: step.alert,
      nextAtMs,
    })),
  )
  const due = steps.flatMap(({ rule, check, step }) =>
    step.notices.map((notice) => ({ notice, rule, check })),
  )
  await notifyReceivers(context, tx, [...notices, ...due], nowMs)
}

export type RuleNotice = { notice: Notice; rule: AlertRuleRecord; check: WatchedCheck }

/** Writes notices as messages for their receivers, in the transaction of their cause. */
export const notifyReceivers = async (
  { publicUrl, metrics }: Pick<AlertContext, 'publicUrl'> & Partial<Pick<AlertContext, 'metrics'>>,
  tx: Transaction,
  notices: readonly RuleNotice[],
  nowMs: number,
): Promise<void> => {
  if (notices.length === 0) return
  const accountIds = new Set(notices.map(({ rule }) => rule.accountId))
  const receivers = Map.groupBy(await findReceivers(tx, [...accountIds]), ({ accountId }) => accountId)
  const drafts = notices.flatMap(({ notice, rule, check }): AlertMessageDraft[] => {
    const message = composeAlert(notice, check, rule.name, publicUrl, rule.afterSeconds)
    return receiversOf(rule, receivers.get(rule.accountId) ?? []).map((receiver) => ({
      receiver,
      checkId: check.id,
      cause: causeOf(notice, check, receiver),
      message,
    }))
  })
  await addAlertMessages(tx, drafts, nowMs)
  for (const { notice } of notices) metrics?.notices.inc({ event: notice.event })
}

/** The same for two rules, so that a receiver gets one message about an outage. */
const causeOf = ({ event, alert }: Notice, check: WatchedCheck, receiver: Receiver): string => {
  const number = event === 'reminder' ? [alert.reminders, alert.toldDown ? 'down' : 'up'] : []
  return ['alert', check.id, alert.flipId, event, ...number, receiver.id].join(':')
}
