import { lockAlertRulesShared } from '../alerts/alert-rules-store.ts'
import type { AlertRuleRecord } from '../alerts/alert-rule.ts'
import type { AlertContext } from '../alerts/context.ts'
import { sendToReceivers } from '../alerts/receivers.ts'
import type { AccountContext } from '../accounts/operations/context.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import {
  claimBurnLook,
  endBurnAlert,
  endBurnAlerts,
  insertBurnAlert,
  lockBurnLook,
  unwatchBurns,
  writeJudged,
} from './burn-alerts-store.ts'
import { composeBurn } from './burn-message.ts'
import { countProbesNow, stateOf, type CountedProbes } from './objective-states.ts'
import { findObjectives, lockObjectivesShared, type FoundObjective } from './objectives-store.ts'
import { stepBurns } from './step-burns.ts'

/** How often the objectives of an account are judged, ms. */
const burnLookMs = 60_000

export type BurnContext = Pick<AlertContext, 'sql' | 'publicUrl' | 'tokens' | 'log' | 'now'> &
  Pick<AccountContext, 'clickhouse'>

/**
 * Judges the objectives of the account that waits longest, at most once a minute each. Any number of control planes
 * share the accounts.
 * @returns whether an account was due
 */
export const judgeNextAccount = async (context: BurnContext): Promise<boolean> => {
  const { sql, now } = context
  const nowMs = now()
  const accountId = await claimBurnLook(sql, { nowMs, beforeMs: nowMs - burnLookMs })
  if (accountId === null) return false
  const found = await transact(sql, (tx) => findObjectives(tx, accountId))
  const judged = found.filter(({ alertRuleId }) => alertRuleId !== null)
  const counted = await countProbesNow(context, accountId, judged)
  await transact(sql, (tx) => judge(context, tx, accountId, counted))
  return true
}

/** Alerts and their messages are one transaction, so that each is sent once (S-3714). */
const judge = async (
  context: BurnContext,
  tx: Transaction,
  accountId: string,
  counted: CountedProbes | null,
): Promise<void> => {
  const look = await lockBurnLook(tx, accountId)
  // another control plane judged later counts while this one waited
  if (look === null || (counted !== null && counted.atMs <= look.judgedAtMs)) return
  await lockObjectivesShared(tx, accountId)
  const rules = (await lockAlertRulesShared(tx, [accountId])).filter(({ enabled }) => enabled)
  const objectives = await findObjectives(tx, accountId)
  for (const objective of objectives) {
    const rule = rules.find(({ id }) => id === objective.alertRuleId)
    if (rule === undefined || !objective.isRunning) {
      if (objective.alerts.length > 0) await endBurnAlerts(tx, objective.id)
    } else if (counted !== null) {
      await judgeObjective(context, tx, { objective, rule, counted })
    }
  }
  if (counted !== null) await writeJudged(tx, accountId, counted.atMs)
  if (objectives.every(({ alertRuleId }) => alertRuleId === null)) await unwatchBurns(tx, accountId)
}

const judgeObjective = async (
  context: BurnContext,
  tx: Transaction,
  judged: { objective: FoundObjective; rule: AlertRuleRecord; counted: CountedProbes },
): Promise<void> => {
  const { objective, rule, counted } = judged
  const { id: objectiveId, accountId } = objective
  const state = stateOf(objective, counted)
  if (state === null) return
  const by = { ruleName: rule.name, publicUrl: context.publicUrl, nowMs: counted.atMs }
  const burns = stepBurns(state.burns, objective.alerts, counted.atMs)
  for (const burn of burns) {
    const { event, pair, sinceMs, told } = burn
    const message = composeBurn(burn, objective, state, by)
    const messages = [{ cause: `${message.alertKey}:${event}`, message }]
    const receivers = await sendToReceivers(context, tx, rule, messages, counted.atMs, told)
    if (event === 'end') await endBurnAlert(tx, objectiveId, pair.long)
    else await insertBurnAlert(tx, { objectiveId, accountId, long: pair.long, sinceMs, receivers })
  }
}
