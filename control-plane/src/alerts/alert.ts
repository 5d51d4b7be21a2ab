import { backoffMs } from '@probe-mesh/runtime/backoff'
import type { AlertStatus } from '@probe-mesh/contracts/alert/alert-rule'
import type { CheckStatus } from '@probe-mesh/contracts/check/check'
import { isCovered } from '../maintenance/maintenance-hold.ts'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'

/** What of a rule decides about one check. */
export type RuleTerms = {
  statuses: readonly AlertStatus[]
  /** Whether an outage that too few regions could confirm is told, whatever the status says of it. */
  unconfirmed: boolean
  afterSeconds: number
}

/** A flip as alerts see it. Times are Unix milliseconds. */
export type SeenFlip = {
  id: string
  to: CheckStatus
  reason: string | null
  /** It fails as far as any region may say, and too few may. */
  unconfirmed: boolean
  atMs: number
}

/**
 * What a rule has begun to tell of a check. It is there from the first status that the rule names
 * until the check is operational: silence and `degraded` are no recovery. Stored as JSON.
 */
export type Alert = {
  /** The flip that began it: everything told of it carries this. */
  flipId: string
  sinceMs: number
  /** `pending`: `afterSeconds` have not passed. `held`: they passed during maintenance. */
  phase: 'pending' | 'held' | 'alerted'
  /** The status now, and why. */
  status: CheckStatus
  reason: string | null
  /** When the alert is due, or the next reminder. */
  dueMs: number
  /** When it is due to be said that it got worse: told as degraded or stale, it went down. */
  worseMs: number | null
  /** Whether `down` was said. */
  toldDown: boolean
  reminders: number
}

/** Something to tell: `alert` is as it stands once this is told. */
export type Notice = {
  event: 'alert' | 'reminder' | 'recovery'
  alert: Alert
  atMs: number
  /** Maintenance kept it back until now. */
  wasHeld: boolean
}

/** What an observation leads to; `alert` is null when there is nothing left to tell. */
export type AlertStep = { alert: Alert | null; notices: Notice[] }

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** How long after the reminder before (S-1905). */
const reminderGapMs = (reminders: number): number =>
  backoffMs({ firstMs: hourMs, maxMs: dayMs }, reminders + 1)

/**
 * Takes a flip into account. Whatever fell due before it is told first, late or not: an outage that
 * was long enough is told also when nobody was there to tell it in time.
 */
export const observeFlip = (
  before: Alert | null,
  rule: RuleTerms,
  flip: SeenFlip,
  windows: readonly HoldingWindow[],
): AlertStep => {
  const due = before === null ? nothing : observeTime(before, windows, flip.atMs)
  const after = applyFlip(due.alert, rule, flip)
  return { alert: after.alert, notices: [...due.notices, ...after.notices] }
}

/** Takes the passing of time into account: at most one notice, however much time has passed. */
export const observeTime = (
  alert: Alert,
  windows: readonly HoldingWindow[],
  nowMs: number,
): AlertStep => {
  if (nowMs < dueAtMs(alert)) return { alert, notices: [] }
  if (isCovered(windows, nowMs)) {
    return { alert: alert.phase === 'pending' ? { ...alert, phase: 'held' } : alert, notices: [] }
  }
  const told: Alert = {
    ...alert,
    phase: 'alerted',
    toldDown: alert.toldDown || alert.status === 'down',
    worseMs: null,
  }
  if (alert.phase !== 'alerted') {
    const opened = { ...told, dueMs: nowMs + reminderGapMs(0) }
    return { alert: opened, notices: [noticeOf('alert', opened, nowMs, alert.phase === 'held')] }
  }
  const isReminder = nowMs >= alert.dueMs
  const reminders = alert.reminders + (isReminder ? 1 : 0)
  const dueMs = isReminder ? nowMs + reminderGapMs(reminders) : alert.dueMs
  const reminded = { ...told, reminders, dueMs }
  return { alert: reminded, notices: [noticeOf('reminder', reminded, nowMs, false)] }
}

/** When time will next change something, maintenance aside. */
export const dueAtMs = ({ dueMs, worseMs }: Alert): number => Math.min(dueMs, worseMs ?? dueMs)

const nothing: AlertStep = { alert: null, notices: [] }

const noticeOf = (
  event: Notice['event'],
  alert: Alert,
  atMs: number,
  wasHeld: boolean,
): Notice => ({ event, alert, atMs, wasHeld })

const applyFlip = (alert: Alert | null, rule: RuleTerms, flip: SeenFlip): AlertStep => {
  const isNamed =
    rule.statuses.some((status) => status === flip.to) || (rule.unconfirmed && flip.unconfirmed)
  if (alert === null) return { alert: isNamed ? begun(rule, flip) : null, notices: [] }
  const now: Alert = { ...alert, status: flip.to, reason: flip.reason }
  if (flip.to === 'operational') {
    // a recovery only after an alert (S-1905)
    if (alert.phase !== 'alerted') return nothing
    return { alert: null, notices: [noticeOf('recovery', now, flip.atMs, false)] }
  }
  if (alert.phase === 'pending') return { alert: isNamed ? now : null, notices: [] }
  const isWorse = alert.phase === 'alerted' && flip.to === 'down' && isNamed && !alert.toldDown
  const worseMs = isWorse ? flip.atMs + rule.afterSeconds * 1000 : null
  return { alert: { ...now, worseMs }, notices: [] }
}

const begun = (rule: RuleTerms, flip: SeenFlip): Alert => ({
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
