import { observeFlip, type Alert } from '../../alerts/when-to-alert.ts'
import type { WatchedCheck } from '../../alerts/evidence.ts'
import { inheritActs } from '../../alerts/act-on-alert.ts'
import { appliesTo, type AlertRuleRecord } from '../../alerts/alert-rule.ts'
import {
  claimFlipRows,
  postponeFlipRow,
  consumeFlips,
  type FlipRow,
  type NewFlip,
} from '../../alerts/alert-flips-store.ts'
import { lockAlertRulesShared } from '../../alerts/alert-rules-store.ts'
import { lockAlertsOfChecks } from '../../alerts/alerts-store.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import { finishOutbox } from '../../stores/outbox-store.ts'
import { transact } from '../../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../../alerts/watched-checks-store.ts'
import { findHolds } from '../../alerts/find-holds.ts'
import type { AlertContext } from '../../alerts/context.ts'
import { saveAlerts, type RuleNotice } from '../../alerts/claim-due-alerts.ts'
import { recordIncidents } from '../../incidents/record-incidents.ts'
import { isStoreRefusing } from '../../stores/store-fault.ts'

/** How long a flip that failed is postponed. */
const postponedMs = 60_000

/**
 * Processes a batch of flips. Changes of alerts and incidents, messages and the finished outbox rows are
 * one transaction, so each flip is processed once, with any number of control planes and crashes.
 * @returns how many rows were processed
 */
export const processFlips = async (context: AlertContext, limit: number): Promise<number> => {
  try {
    return await processBatch(context, limit)
  } catch (error) {
    if (isStoreRefusing(error)) throw error
    context.log.warn({ err: error }, 'a batch of flips failed; processing them one by one')
    return processSingly(context, limit)
  }
}

const processBatch = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const rows = await claimFlipRows(tx, context.now(), limit)
    await processRows(context, tx, rows)
    return rows.length
  })

/** One by one, so that a flip that fails does not block others. */
const processSingly = async (context: AlertContext, limit: number): Promise<number> => {
  for (let processed = 0; processed < limit; processed++) {
    let claimed: FlipRow | undefined
    try {
      await transact(context.sql, async (tx) => {
        const rows = await claimFlipRows(tx, context.now(), 1)
        claimed = rows[0]
        await processRows(context, tx, rows)
      })
    } catch (error) {
      const row = claimed
      if (isStoreRefusing(error) || row === undefined) throw error
      context.metrics.postponed.inc()
      context.log.error({ err: error, checkId: row.checkId }, 'a flip failed; postponed')
      const nowMs = context.now()
      const postponed = { nowMs, untilMs: nowMs + postponedMs }
      await transact(context.sql, (tx) => postponeFlipRow(tx, row, postponed))
    }
    if (claimed === undefined) return processed
  }
  return limit
}

const processRows = async (
  context: AlertContext,
  tx: Transaction,
  rows: readonly FlipRow[],
): Promise<void> => {
  if (rows.length === 0) return
  const nowMs = context.now()
  const checks = await lockWatchedChecksShared(tx, [...new Set(rows.map(({ checkId }) => checkId))])
  const flips = checks.size === 0 ? [] : await consumeFlips(tx, [...checks.keys()])
  if (flips.length > 0) {
    await recordIncidents(tx, checks, flips, nowMs)
    await updateAlerts(context, tx, checks, flips, nowMs)
  }
  // also finishes rows of deleted checks, and rows whose flip was processed with another row
  await finishOutbox(
    tx,
    rows.map(({ outboxId }) => outboxId),
    nowMs,
  )
  context.metrics.flips.inc(flips.length)
}

const updateAlerts = async (
  context: AlertContext,
  tx: Transaction,
  checks: ReadonlyMap<string, WatchedCheck>,
  flips: readonly NewFlip[],
  nowMs: number,
): Promise<void> => {
  const accountIds = new Set([...checks.values()].map(({ accountId }) => accountId))
  const rules = Map.groupBy(await lockAlertRulesShared(tx, [...accountIds]), (rule) => rule.accountId)
  const fromMs = Math.min(nowMs, ...flips.map(({ atMs }) => atMs))
  const holdsOf = await findHolds(tx, [...checks.keys()], { fromMs, nowMs })
  const open = new Map(
    (await lockAlertsOfChecks(tx, [...checks.keys()])).map((record) => [keyOf(record), record]),
  )
  const changed = new Map<string, { rule: AlertRuleRecord; check: WatchedCheck; alert: Alert | null }>()
  const notices: RuleNotice[] = []
  /** The alerts of a check as these flips have left them. */
  const alertsNow = (checkId: string): Alert[] => {
    const kept = [...open].filter(([key, record]) => record.checkId === checkId && !changed.has(key))
    const written = [...changed.values()].filter(({ check }) => check.id === checkId)
    return [...kept.map(([, { state }]) => state), ...written.flatMap(({ alert }) => alert ?? [])]
  }
  for (const flip of flips) {
    const check = checks.get(flip.checkId)
    if (check === undefined) continue
    for (const rule of rules.get(check.accountId) ?? []) {
      const key = keyOf({ ruleId: rule.id, checkId: check.id })
      const before = changed.get(key)?.alert ?? (changed.has(key) ? null : open.get(key)?.state)
      const step = appliesTo(rule, check)
        ? observeFlip(before ?? null, rule, flip, holdsOf(rule, check, before ?? null))
        : { alert: null, notices: [] }
      if (step.alert !== null || before !== undefined) {
        const opened = step.alert?.flipId === before?.flipId ? null : step.alert
        const alert = opened === null ? step.alert : inheritActs(opened, alertsNow(check.id))
        changed.set(key, { rule, check, alert })
      }
      notices.push(...step.notices.map((notice) => ({ notice, rule, check })))
    }
  }
  await saveAlerts(context, tx, [...changed.values()], notices, holdsOf, nowMs)
}

const keyOf = ({ ruleId, checkId }: { ruleId: string; checkId: string }): string => `${ruleId} ${checkId}`
