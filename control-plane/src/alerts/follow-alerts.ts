import { isWatching } from './rule.ts'
import { shareAlertRules } from './alert-rules-store.ts'
import { claimDueAlerts, findDueChecks, writeAlerts } from './alerts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { shareWatchedChecks } from './watched-checks-store.ts'
import type { AlertContext } from './context.ts'
import { dueAtMs, observeTime } from './alert.ts'
import type { Alert, Notice } from './alert.ts'
import type { WatchedCheck } from './evidence.ts'
import { findHoldingWindows, nextLookMs } from '../maintenance/maintenance-hold.ts'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'
import type { AlertRuleRecord } from './rule.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { composeAlert } from './alert-message.ts'
import { addAlertMessages } from './alert-messages-store.ts'
import { findReceivers, isReceiver } from './receivers.ts'
import type { Receiver } from './receivers.ts'
import type { AlertMessageDraft } from './alert-messages-store.ts'

/**
 * Looks at a batch of alerts whose time has come: those that waited long enough, were held by
 * maintenance, or are to be said again. What a rule watches no longer is closed without a word.
 * @returns how many were due
 */
export const followAlerts = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const nowMs = context.now()
    const due = await findDueChecks(tx, nowMs, limit)
    if (due.length === 0) return 0
    const checks = await shareWatchedChecks(tx, due)
    const accountIds = new Set([...checks.values()].map(({ accountId }) => accountId))
    const rules = new Map(
      (await shareAlertRules(tx, [...accountIds])).map((rule) => [rule.id, rule]),
    )
    const alerts = await claimDueAlerts(tx, [...checks.keys()], nowMs)
    const windows = await findHoldingWindows(tx, due, { fromMs: nowMs, toMs: nowMs })
    const kept = alerts.flatMap(({ ruleId, checkId, state }) => {
      const [rule, check] = [rules.get(ruleId), checks.get(checkId)]
      if (rule === undefined || check === undefined) return []
      return [{ rule, check, alert: isWatching(rule, check) ? state : null }]
    })
    await keepAlerts(context, tx, kept, [], windows, nowMs)
    return kept.length
  })

/** What a rule has to say of a check from here on; null: nothing. */
export type KeptAlert = { rule: AlertRuleRecord; check: WatchedCheck; alert: Alert | null }

/** Takes the time into account that has passed, writes the alerts, and tells what there is to tell. */
export const keepAlerts = async (
  context: AlertContext,
  tx: Transaction,
  kept: readonly KeptAlert[],
  told: readonly Told[],
  windows: ReadonlyMap<string, readonly HoldingWindow[]>,
  nowMs: number,
): Promise<void> => {
  const steps = kept.map(({ rule, check, alert }) => {
    const held = windows.get(check.id) ?? []
    const step = alert === null ? { alert, notices: [] } : observeTime(alert, held, nowMs)
    const nextAtMs = step.alert === null ? nowMs : nextLookMs(held, dueAtMs(step.alert), nowMs)
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
  await tell(context, tx, [...told, ...due], nowMs)
}

/** A notice with the rule and the check that it is of. */
export type Told = { notice: Notice; rule: AlertRuleRecord; check: WatchedCheck }

/** Writes notices as messages that wait for their receivers, in the transaction of what caused them. */
export const tell = async (
  { publicUrl, metrics }: Pick<AlertContext, 'publicUrl' | 'metrics'>,
  tx: Transaction,
  told: readonly Told[],
  nowMs: number,
): Promise<void> => {
  if (told.length === 0) return
  const accountIds = new Set(told.map(({ rule }) => rule.accountId))
  const receivers = Map.groupBy(
    await findReceivers(tx, [...accountIds]),
    ({ accountId }) => accountId,
  )
  const drafts = told.flatMap(({ notice, rule, check }): AlertMessageDraft[] => {
    const message = composeAlert(notice, check, rule.name, publicUrl, rule.afterSeconds)
    return (receivers.get(rule.accountId) ?? [])
      .filter((receiver) => isReceiver(rule, receiver))
      .map((receiver) => ({
        receiver,
        checkId: check.id,
        cause: causeOf(notice, check, receiver),
        message,
      }))
  })
  await addAlertMessages(tx, drafts, nowMs)
  for (const { notice } of told) metrics.notices.inc({ event: notice.event })
}

/** Two rules that have the same to say of one outage say it to a receiver once. */
const causeOf = ({ event, alert }: Notice, check: WatchedCheck, receiver: Receiver): string => {
  const number = event === 'reminder' ? [alert.reminders, alert.toldDown ? 'down' : 'up'] : []
  return ['alert', check.id, alert.flipId, event, ...number, receiver.id].join(':')
}
