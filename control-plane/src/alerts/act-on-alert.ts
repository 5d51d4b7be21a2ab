import { neverMs, type Act, type Alert } from './when-to-alert.ts'

/** What a person does with an alert. Times are Unix milliseconds. */
export type AlertAct =
  | { kind: 'acknowledge' }
  | { kind: 'snooze'; untilMs: number }
  /** Ends its messages. The status of the check is measured as before. */
  | { kind: 'resolve' }

/** An alert after an act, and whether the act is news to its receivers. */
export type ActStep = { alert: Alert; changed: boolean; event: 'acknowledged' | 'resolved' | null }

/**
 * Applies an act to the alert of one rule. Acknowledging or resolving again changes nothing, and neither does snoozing
 * an acknowledged alert: it has no reminders. Receivers learn of an act only if they were notified of the alert.
 */
export const actOnAlert = (alert: Alert, act: AlertAct, { by, atMs }: Act): ActStep => {
  const known = alert.phase === 'alerted'
  switch (act.kind) {
    case 'acknowledge':
      if (alert.acknowledged !== undefined) return { alert, changed: false, event: null }
      return {
        alert: {
          ...alert,
          acknowledged: { by, atMs },
          snoozedUntilMs: undefined,
          // the acknowledger knows the current status, so that only a worse one is news
          toldDown: alert.toldDown || alert.status === 'down',
          worseMs: null,
          dueMs: neverMs,
        },
        changed: true,
        event: known ? 'acknowledged' : null,
      }
    case 'snooze':
      if (alert.acknowledged !== undefined) return { alert, changed: false, event: null }
      return {
        alert: { ...alert, snoozedUntilMs: act.untilMs, dueMs: act.untilMs },
        changed: true,
        event: null,
      }
    case 'resolve':
      if (alert.resolved !== undefined) return { alert, changed: false, event: null }
      return {
        alert: {
          ...alert,
          resolved: { by, atMs },
          snoozedUntilMs: undefined,
          worseMs: null,
          dueMs: neverMs,
        },
        changed: true,
        event: known ? 'resolved' : null,
      }
  }
}

/**
 * An alert that opens while other rules have alerts on the check: who took the outage, took it for all rules. It is
 * sent once, without reminders, or never if the messages of the outage were ended.
 */
export const inheritActs = (opened: Alert, others: readonly Alert[]): Alert => {
  const taken = others.find(({ acknowledged }) => acknowledged !== undefined)?.acknowledged
  const ended = others.find(({ resolved }) => resolved !== undefined)?.resolved
  return {
    ...opened,
    ...(taken === undefined ? {} : { acknowledged: taken }),
    ...(ended === undefined ? {} : { resolved: ended, dueMs: neverMs }),
  }
}
