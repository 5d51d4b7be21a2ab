import { findHoldingWindows } from '../maintenance/maintenance-hold.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import type { AlertRuleRecord } from './alert-rule.ts'
import { findAlertsOfChecks } from './alerts-store.ts'
import type { WatchedCheck } from './evidence.ts'
import { holdsOfParents } from './parent-hold.ts'
import { type AlertHold, type Alert } from './when-to-alert.ts'
import { findParentsOf } from './parents-store.ts'

/** The holds of the alert of a rule on a check; of maintenance only, where it has no alert yet. */
export type HoldsOf = (
  rule: AlertRuleRecord,
  check: WatchedCheck,
  alert: Alert | null,
  /** Alerts that the transaction has changed and not written: undefined for any other. */
  changed?: (ruleId: string, checkId: string) => Alert | null | undefined,
) => readonly AlertHold[]

/** Reads what holds alerts on these checks: maintenance since `fromMs`, and the outages of their parents. */
export const findHolds = async (
  tx: Transaction,
  checkIds: readonly string[],
  { fromMs, nowMs }: { fromMs: number; nowMs: number },
): Promise<HoldsOf> => {
  const windows = await findHoldingWindows(tx, checkIds, { fromMs, toMs: nowMs })
  const rows = await findParentsOf(tx, checkIds)
  if (rows.length === 0) return (_rule, { id }) => windows.get(id) ?? []
  const parents = Map.groupBy(rows, ({ childId }) => childId)
  const parentIds = [...new Set(rows.map(({ check }) => check.id))]
  const covered = await findHoldingWindows(tx, parentIds, { fromMs: nowMs, toMs: nowMs })
  const open = new Map(
    (await findAlertsOfChecks(tx, parentIds)).map(({ ruleId, checkId, state }) => [
      `${ruleId} ${checkId}`,
      state,
    ]),
  )
  return (rule, check, alert, changed) => {
    const ofMaintenance = windows.get(check.id) ?? []
    if (alert === null) return ofMaintenance
    const above = (parents.get(check.id) ?? []).map((row) => {
      const latest = changed?.(rule.id, row.check.id)
      return {
        ...row,
        alert: latest === undefined ? (open.get(`${rule.id} ${row.check.id}`) ?? null) : latest,
        inMaintenance: covered.has(row.check.id),
      }
    })
    return [...ofMaintenance, ...holdsOfParents({ check, rule, alert }, above, nowMs)]
  }
}
