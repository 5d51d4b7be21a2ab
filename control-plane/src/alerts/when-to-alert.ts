import { backoffMs } from '@probe-mesh/runtime/backoff'
import type { AlertStatus } from '@probe-mesh/contracts/alert/alert-rule'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import type { EscalationState, ReachedLevel } from './escalation.ts'
import { isCovered, type HoldingWindow } from '../maintenance/maintenance-hold.ts'

/** The part of a rule that decides when a check alerts. */
export type RuleConditions = {
  statuses: readonly AlertStatus[]
  /** Whether the rule also alerts on an outage that too few regions could confirm, whatever the status. */
  unconfirmed: boolean
  afterSeconds: number
}

/** A flip as alerts see it. Times are Unix milliseconds. */
export type SeenFlip = {
  id: string
  to: CheckStatus
  reason: string | null
  /** All regions that can judge the check see it fail, but too few can judge it. */
  unconfirmed: boolean
  atMs: number
}

/** A check that holds the alerts of one that depends on it. Times are Unix milliseconds. */
export type HoldingParent = {
  checkId: string
  name: string
  sinceMs: number
  /** Whether it is down; otherwise it fails, and that is not confirmed. */
  isDown: boolean
  /** When its outage ended; absent: it lasts. */
  endedMs?: number
}

/** A time during which an alert is held: by maintenance, or by the outage of a parent. */
export type AlertHold = HoldingWindow & { parent?: HoldingParent }

/**
 * The open alert of a rule on a check: from the first status that the rule names until the check is
 * operational. Missing data and `degraded` are no recovery. Stored as JSON.
 */
export type Alert = {
  /** The flip that opened it. Every notification about it carries this id. */
  flipId: string
  sinceMs: number
  /** `pending`: `afterSeconds` have not passed. `held`: they passed in maintenance or the outage of a parent. */
  phase: 'pending' | 'held' | 'alerted'
  /** The parent whose outage held it last; absent: none did. */
  heldBy?: HoldingParent
  /** The current status and its reason. */
  status: CheckStatus
  /** The status before the recovery; absent before one. */
  was?: CheckStatus
  reason: string | null
  /** When the alert is due, or the next reminder. */
  dueMs: number
  /** When the notification is due that it got worse: sent as degraded or stale, it went down. */
  worseMs: number | null
  /** Whether a notification said `down`. */
  toldDown: boolean
  reminders: number
  /** Who took it, and when. It sends no reminders, but says when it gets worse. */
  acknowledged?: Act | undefined
  /** Reminders wait until then. */
  snoozedUntilMs?: number | undefined
  /** Who ended its messages, and when. It stays, silent, until the check is operational. */
  resolved?: Act | undefined
  /** Of a rule that names an escalation policy. */
  escalation?: EscalationState | undefined
}

/** An act of a person or a key on an alert. */
export type Act = { by: string; atMs: number }

type AlertEvent = 'alert' | 'reminder' | 'recovery' | 'acknowledged' | 'resolved' | 'escalation'

/** A notification to send. `alert` is its state afterwards. */
export type Notice = {
  event: AlertEvent
  alert: Alert
  atMs: number
  /** Maintenance or the outage of a parent delayed it until now. */
  wasHeld: boolean
  /** The level of an `escalation`. */
  step?: Pick<ReachedLevel, 'round' | 'level'>
  /** Schedules in which no one was on call before. */
  gaps?: readonly string[]
}

/** The result of an observation; `alert` is null when it is closed. */
export type AlertStep = { alert: Alert | null; notices: Notice[] }

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** No time: an alert that is due then sends nothing of its own. A date that JavaScript and Postgres can hold. */
export const neverMs = Date.UTC(9999, 11, 31)

/** Time between this reminder and the next one (S-1905). */
const reminderGapMs = (reminders: number): number =>
  backoffMs({ firstMs: hourMs, maxMs: dayMs }, reminders + 1)

/**
 * Applies a flip. Notifications that were due before it come first, even when they are late: an outage
 * that lasted long enough is reported although no alerter was running in time.
 */
export const observeFlip = (
  before: Alert | null,
  rule: RuleConditions,
  flip: SeenFlip,
  holds: readonly AlertHold[],
): AlertStep => {
  const due = before === null ? nothing : observeTime(before, holds, flip.atMs)
  const after = applyFlip(due.alert, rule, flip)
  return { alert: after.alert, notices: [...due.notices, ...after.notices] }
}

/** Applies the passing of time: at most one notice, however much time has passed. */
export const observeTime = (alert: Alert, holds: readonly AlertHold[], nowMs: number): AlertStep => {
  if (nowMs < dueAtMs(alert)) return { alert, notices: [] }
  const hold = holds.find((each) => isCovered([each], nowMs))
  if (hold !== undefined) return { alert: heldAlert(alert, hold), notices: [] }
  const notified: Alert = {
    ...alert,
    phase: 'alerted',
    toldDown: alert.toldDown || alert.status === 'down',
    worseMs: null,
  }
  if (alert.phase !== 'alerted') {
    const opened = { ...notified, ...remindedNext(alert, nowMs, 0) }
    return { alert: opened, notices: [noticeOf('alert', opened, nowMs, alert.phase === 'held')] }
  }
  const isReminder = nowMs >= alert.dueMs
  const reminders = alert.reminders + (isReminder ? 1 : 0)
  const reminded = { ...notified, reminders, ...(isReminder ? remindedNext(alert, nowMs, reminders) : {}) }
  return { alert: reminded, notices: [noticeOf('reminder', reminded, nowMs, false)] }
}

/** When the next reminder is due after a message; an acknowledged alert has none. A snooze is over. */
const remindedNext = (
  { acknowledged }: Alert,
  nowMs: number,
  reminders: number,
): Pick<Alert, 'dueMs' | 'snoozedUntilMs'> => ({
  dueMs: acknowledged === undefined ? nowMs + reminderGapMs(reminders) : neverMs,
  snoozedUntilMs: undefined,
})

/** When time next changes the alert, regardless of maintenance. */
export const dueAtMs = ({ dueMs, worseMs }: Alert): number => Math.min(dueMs, worseMs ?? dueMs)

/** An alert that was sent is not held, only its reminders are. */
const heldAlert = (alert: Alert, { parent }: AlertHold): Alert => {
  if (alert.phase === 'alerted') return alert
  return { ...alert, phase: 'held', ...(parent !== undefined && { heldBy: parent }) }
}

const nothing: AlertStep = { alert: null, notices: [] }

const noticeOf = (event: Notice['event'], alert: Alert, atMs: number, wasHeld: boolean): Notice => ({
  event,
  alert,
  atMs,
  wasHeld,
})

const applyFlip = (alert: Alert | null, rule: RuleConditions, flip: SeenFlip): AlertStep => {
  const isNamed = rule.statuses.some((status) => status === flip.to) || (rule.unconfirmed && flip.unconfirmed)
  if (alert === null) return { alert: isNamed ? openAlert(rule, flip) : null, notices: [] }
  const now: Alert = { ...alert, status: flip.to, reason: flip.reason }
  if (flip.to === 'operational') {
    // a recovery only after an alert (S-1905), and not after its messages were ended (S-1932)
    if (alert.phase !== 'alerted' || alert.resolved !== undefined) return nothing
    return { alert: null, notices: [noticeOf('recovery', { ...now, was: alert.status }, flip.atMs, false)] }
  }
  if (alert.resolved !== undefined) return { alert: now, notices: [] }
  const isTaken = alert.acknowledged !== undefined
  const isWaiting = alert.phase === 'pending' || (alert.phase === 'held' && alert.heldBy !== undefined)
  if (isWaiting && !isTaken) return { alert: isNamed ? now : null, notices: [] }
  const isKnown = alert.phase === 'alerted' || isTaken
  const isWorse = isKnown && flip.to === 'down' && isNamed && !alert.toldDown
  const worseMs = isWorse ? flip.atMs + rule.afterSeconds * 1000 : null
  return { alert: { ...now, worseMs }, notices: [] }
}

const openAlert = (rule: RuleConditions, flip: SeenFlip): Alert => ({
  flipId: flip.id,
  sinceMs: flip.atMs,
  phase: 'pending',
  status: flip.to,
  reason: flip.reason,
  dueMs: flip.atMs + rule.afterSeconds * 1000,
  worseMs: null,
  toldDown: false,
  reminders: 0,
})
