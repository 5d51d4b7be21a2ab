import { isWatching } from './rule.ts'
import { shareAlertRules } from './alert-rules-store.ts'
import { claimDueAlerts, findDueChecks } from './alerts-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { findHoldingWindows, shareWatchedChecks } from './watched-checks-store.ts'
import type { AlertContext } from './context.ts'
import { keepAlerts } from './keep-alerts.ts'

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
