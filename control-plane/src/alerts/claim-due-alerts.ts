import { appliesTo, type AlertRuleRecord } from './alert-rule.ts'
import { lockAlertRulesShared } from './alert-rules-store.ts'
import { claimDueAlerts, findDueChecks, writeAlerts } from './alerts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from './watched-checks-store.ts'
import type { AlertContext } from './context.ts'
import { dueAtMs, neverMs, observeTime, type Alert, type Notice } from './when-to-alert.ts'
import type { WatchedCheck } from './evidence.ts'
import { nextLookMs, type HoldingWindow } from '../maintenance/maintenance-hold.ts'
import { findHolds, type HoldsOf } from './find-holds.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { escalateAlert, escalationDueMs, findEscalations, firstTargets } from './escalate-alerts.ts'
import type { ReachedLevel } from './escalation.ts'
import { composeAlert } from './alert-message.ts'
import { addAlertMessages, findWrittenCauses, type AlertMessageDraft } from './alert-messages-store.ts'
import { findReceivers, receiversOf, type NamedReceiver, type Receiver } from './receivers.ts'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'

type EscalationRecord = ReachedLevel & { accountId: string; checkId: string; policy: string }

/** Notes which levels were reached, for the timeline of the outage. */
const insertEscalations = async (
  tx: Transaction,
  records: readonly EscalationRecord[],
  nowMs: number,
): Promise<void> => {
  if (records.length === 0) return
  const rows = records.map(({ accountId, checkId, policy, level, round, receiverIds, gaps }) => ({
    id: uuidv7(nowMs),
    account_id: accountId,
    check_id: checkId,
    policy,
    level: level + 1,
    round: round + 1,
    receivers: receiverIds.length,
    gaps,
  }))
  await tx`
    insert into alert_escalations (id, account_id, check_id, policy, level, round, receivers, gaps, at)
    select id, account_id, check_id, policy, level, round, receivers,
      array(select jsonb_array_elements_text(gaps)), ${new Date(nowMs)}
    from jsonb_to_recordset(${tx.json(rows)}) as r (id uuid, account_id uuid, check_id uuid, policy text,
      level integer, round integer, receivers integer, gaps jsonb)`
}

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
  Math.min(
    nextLookMs(windows, dueAtMs(alert), nowMs),
    nextLookMs(windows, escalationDueMs(alert) ?? neverMs, nowMs),
    nowMs + visitMsMax,
  )

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
  const found = await findEscalations(
    tx,
    [...kept, ...notices].map(({ rule }) => rule),
  )
  const latest = new Map(kept.map(({ rule, check, alert }) => [`${rule.id} ${check.id}`, alert]))
  const steps = kept.map(({ rule, check, alert: before }) => {
    const held = holdsOf(rule, check, before, (ruleId, checkId) => latest.get(`${ruleId} ${checkId}`))
    const timed = before === null ? { alert: before, notices: [] } : observeTime(before, held, nowMs)
    const { alert, policy, reached } =
      timed.alert === null
        ? { alert: null, policy: null, reached: [] }
        : escalateAlert(timed.alert, rule, found, held, nowMs)
    const nextAtMs = alert === null ? nowMs : nextVisitMs(held, alert, nowMs)
    const levels = alert === null ? [] : levelNotices(alert, reached, nowMs)
    return { rule, check, step: { alert, notices: timed.notices }, nextAtMs, policy, reached, levels }
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
  await insertEscalations(
    tx,
    steps.flatMap(({ rule, check, policy, reached }) =>
      reached.map((each) => ({
        ...each,
        accountId: rule.accountId,
        checkId: check.id,
        policy: policy?.name ?? '',
      })),
    ),
    nowMs,
  )
  // an alert that was over before it was noticed has no escalation
  const early = notices.map((each): RuleNotice => {
    const isOver = steps.some(
      ({ rule, check, step }) =>
        rule.id === each.rule.id && check.id === each.check.id && step.alert === null,
    )
    const isEarly = isOver && each.notice.alert.escalation === undefined
    return isEarly ? { ...each, also: firstTargets(each.rule, found, nowMs) } : each
  })
  const due = steps.flatMap(({ rule, check, step, levels }): RuleNotice[] => [
    ...step.notices.map((notice) => ({
      notice,
      rule,
      check,
      // the message of a level says all that a reminder says
      except: notice.event === 'reminder' ? levels.flatMap(({ only }) => only) : [],
    })),
    ...levels.map(({ notice, only }) => ({ notice, rule, check, only })),
  ])
  await notifyReceivers(context, tx, [...early, ...due], nowMs)
}

/** The first level of all is the alert itself. A level says which schedules reached no one before it. */
const levelNotices = (
  alert: Alert,
  reached: readonly ReachedLevel[],
  atMs: number,
): { notice: Notice; only: readonly string[] }[] => {
  const gaps = reached.flatMap((each) => each.gaps)
  return reached
    .filter(({ receiverIds }) => receiverIds.length > 0)
    .map(({ round, level, receiverIds }) => {
      const event = round === 0 && level === 0 ? 'alert' : 'escalation'
      return {
        notice: { event, alert, atMs, wasHeld: false, step: { round, level }, gaps },
        only: receiverIds,
      }
    })
}

export type RuleNotice = {
  notice: Notice
  rule: AlertRuleRecord
  check: WatchedCheck
  /** Receivers besides those of the rule, instead of them, or left out, by id. */
  also?: readonly string[]
  only?: readonly string[]
  except?: readonly string[]
}

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
  const isInformed = await findInformed(tx, notices)
  const drafts = notices.flatMap((each): AlertMessageDraft[] => {
    const { notice, rule, check } = each
    const message = composeAlert(notice, check, rule.name, publicUrl, rule.afterSeconds)
    const named = receiversOfNotice(each, receivers.get(rule.accountId) ?? [])
    return named.filter(isInformed(each)).map((receiver) => ({
      receiver,
      checkId: check.id,
      cause: causeOf(notice, check, receiver),
      message,
    }))
  })
  await addAlertMessages(tx, drafts, nowMs)
  for (const { notice } of notices) metrics?.notices.inc({ event: notice.event })
}

/** How an alert goes on, which is news only to those who know of it. */
const followUps: ReadonlySet<Notice['event']> = new Set(['recovery', 'acknowledged', 'resolved'])

/**
 * Who gets a notice: everybody gets an alert and its reminders, and how it goes on only those who got one of these. A
 * fallback channel speaks for a channel that may have got them.
 */
const findInformed = async (
  tx: Transaction,
  notices: readonly RuleNotice[],
): Promise<(notice: RuleNotice) => (receiver: Receiver) => boolean> => {
  const later = notices.filter(({ notice }) => followUps.has(notice.event))
  if (later.length === 0) return () => () => true
  const checkIds = [...new Set(later.map(({ check }) => check.id))]
  const sinceMs = Math.min(...later.map(({ notice }) => notice.alert.sinceMs))
  const outageOf = ({ notice }: RuleNotice): string => notice.alert.flipId
  const begun = new Set(notices.filter(({ notice }) => !followUps.has(notice.event)).map(outageOf))
  const told = new Set(
    (await findWrittenCauses(tx, checkIds, sinceMs)).map((cause) => {
      // without the check: the causes of a replaced one name the former
      const [, , flipId, ...rest] = cause.split(':')
      return `${flipId}:${rest.at(-1)}`
    }),
  )
  return (each) => (receiver) =>
    !followUps.has(each.notice.event) ||
    begun.has(outageOf(each)) ||
    receiver.id === each.rule.fallbackChannelId ||
    told.has(`${outageOf(each)}:${receiver.id}`)
}

/** The receivers of the rule and everyone whom its escalation has notified, or only those of a level. */
const receiversOfNotice = (
  { notice: { alert }, rule, also = [], only, except = [] }: RuleNotice,
  receivers: readonly NamedReceiver[],
): NamedReceiver[] => {
  if (only !== undefined) return receivers.filter(({ id }) => only.includes(id))
  const more = new Set([...also, ...(alert.escalation?.told ?? [])])
  const own = new Set(receiversOf(rule, receivers))
  return receivers.filter(
    (receiver) => (own.has(receiver) || more.has(receiver.id)) && !except.includes(receiver.id),
  )
}

/** The same for two rules, so that a receiver gets one message about an outage. */
const causeOf = ({ event, alert, step }: Notice, check: WatchedCheck, receiver: Receiver): string => {
  const numbers = {
    reminder: [alert.reminders, alert.toldDown ? 'down' : 'up'],
    escalation: [alert.escalation?.policyId ?? '', step?.round ?? 0, step?.level ?? 0],
  }
  const number = event === 'reminder' || event === 'escalation' ? numbers[event] : []
  return ['alert', check.id, alert.flipId, event, ...number, receiver.id].join(':')
}
