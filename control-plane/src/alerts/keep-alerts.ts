import { dueAtMs, observeTime } from './alert.ts'
import type { Alert } from './alert.ts'
import type { WatchedCheck } from './evidence.ts'
import { nextLookMs } from '../maintenance/maintenance-hold.ts'
import type { HoldingWindow } from '../maintenance/maintenance-hold.ts'
import type { AlertRuleRecord } from './rule.ts'
import { writeAlerts } from './alerts-store.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertContext } from './context.ts'
import { tell } from './tell.ts'
import type { Told } from './tell.ts'

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
