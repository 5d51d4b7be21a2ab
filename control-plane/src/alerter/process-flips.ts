import { observeFlip } from '../alerts/alert.ts'
import type { Alert } from '../alerts/alert.ts'
import type { WatchedCheck } from '../alerts/evidence.ts'
import { appliesTo } from '../alerts/alert-rule.ts'
import type { AlertRuleRecord } from '../alerts/alert-rule.ts'
import { claimFlipRows, postponeFlipRow, consumeFlips } from '../alerts/alert-flips-store.ts'
import type { FlipRow, NewFlip } from '../alerts/alert-flips-store.ts'
import { lockAlertRulesShared } from '../alerts/alert-rules-store.ts'
import { lockAlertsOfChecks } from '../alerts/alerts-store.ts'
import { isPostgresAway } from '../stores/postgres/connect.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { finishOutbox } from '../stores/outbox-store.ts'
import { transact } from '../stores/postgres/transact.ts'
import { lockWatchedChecksShared } from '../alerts/watched-checks-store.ts'
import { findHoldingWindows } from '../maintenance/maintenance-hold.ts'
import type { AlertContext } from '../alerts/context.ts'
import { saveAlerts } from '../alerts/due-alerts.ts'
import { recordIncidents } from '../incidents/record-incidents.ts'
import type { RuleNotice } from '../alerts/due-alerts.ts'

/** One that cannot be taken is put aside for so long. */
const asideMs = 60_000

/**
 * Takes a batch of flips: what they change of alerts and incidents, what is to be told, and that
 * they are done, are there together or not at all. However many look and whenever one of them
 * dies, each flip is taken once.
 * @returns how many calls were looked at
 */
export const processFlips = async (context: AlertContext, limit: number): Promise<number> => {
  try {
    return await takeBatch(context, limit)
  } catch (error) {
    if (isPostgresAway(error)) throw error
    context.log.warn({ err: error }, 'a batch of flips cannot be taken; taking them one by one')
    return takeSingly(context, limit)
  }
}

const takeBatch = (context: AlertContext, limit: number): Promise<number> =>
  transact(context.sql, async (tx) => {
    const calls = await claimFlipRows(tx, context.now(), limit)
    await takeCalls(context, tx, calls)
    return calls.length
  })

/** One by one, so that a flip that cannot be taken holds up no other. */
const takeSingly = async (context: AlertContext, limit: number): Promise<number> => {
  for (let taken = 0; taken < limit; taken++) {
    let claimed: FlipRow | undefined
    try {
      await transact(context.sql, async (tx) => {
        const calls = await claimFlipRows(tx, context.now(), 1)
        claimed = calls[0]
        await takeCalls(context, tx, calls)
      })
    } catch (error) {
      const call = claimed
      if (isPostgresAway(error) || call === undefined) throw error
      context.metrics.aside.inc()
      context.log.error({ err: error, checkId: call.checkId }, 'a flip cannot be taken; put aside')
      const nowMs = context.now()
      const aside = { nowMs, untilMs: nowMs + asideMs }
      await transact(context.sql, (tx) => postponeFlipRow(tx, call, aside))
    }
    if (claimed === undefined) return taken
  }
  return limit
}

const takeCalls = async (
  context: AlertContext,
  tx: Transaction,
  calls: readonly FlipRow[],
): Promise<void> => {
  if (calls.length === 0) return
  const nowMs = context.now()
  const checks = await lockWatchedChecksShared(tx, [
    ...new Set(calls.map(({ checkId }) => checkId)),
  ])
  const flips = checks.size === 0 ? [] : await consumeFlips(tx, [...checks.keys()])
  if (flips.length > 0) {
    await recordIncidents(tx, checks, flips, nowMs)
    await followFlips(context, tx, checks, flips, nowMs)
  }
  // a call whose check is gone, or whose flip came along with another's, has nothing left to say
  await finishOutbox(
    tx,
    calls.map(({ outboxId }) => outboxId),
    nowMs,
  )
  context.metrics.flips.inc(flips.length)
}

const followFlips = async (
  context: AlertContext,
  tx: Transaction,
  checks: ReadonlyMap<string, WatchedCheck>,
  flips: readonly NewFlip[],
  nowMs: number,
): Promise<void> => {
  const accountIds = new Set([...checks.values()].map(({ accountId }) => accountId))
  const rules = Map.groupBy(
    await lockAlertRulesShared(tx, [...accountIds]),
    (rule) => rule.accountId,
  )
  const fromMs = Math.min(nowMs, ...flips.map(({ atMs }) => atMs))
  const windows = await findHoldingWindows(tx, [...checks.keys()], { fromMs, toMs: nowMs })
  const open = new Map(
    (await lockAlertsOfChecks(tx, [...checks.keys()])).map((record) => [keyOf(record), record]),
  )
  const changed = new Map<
    string,
    { rule: AlertRuleRecord; check: WatchedCheck; alert: Alert | null }
  >()
  const told: RuleNotice[] = []
  for (const flip of flips) {
    const check = checks.get(flip.checkId)
    if (check === undefined) continue
    for (const rule of rules.get(check.accountId) ?? []) {
      const key = keyOf({ ruleId: rule.id, checkId: check.id })
      const before = changed.get(key)?.alert ?? (changed.has(key) ? null : open.get(key)?.state)
      const step = appliesTo(rule, check)
        ? observeFlip(before ?? null, rule, flip, windows.get(check.id) ?? [])
        : { alert: null, notices: [] }
      if (step.alert !== null || before !== undefined) {
        changed.set(key, { rule, check, alert: step.alert })
      }
      told.push(...step.notices.map((notice) => ({ notice, rule, check })))
    }
  }
  await saveAlerts(context, tx, [...changed.values()], told, windows, nowMs)
}

const keyOf = ({ ruleId, checkId }: { ruleId: string; checkId: string }): string =>
  `${ruleId} ${checkId}`
