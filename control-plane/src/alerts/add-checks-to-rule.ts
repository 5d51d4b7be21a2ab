import { checksPerRuleMax } from '@probe-mesh/contracts/alert/alert-rule'
import type { BulkResult } from '@probe-mesh/contracts/check/bulk'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { bulkResult, isChange, type Outcome } from '../accounts/operations/write-many.ts'
import type { AccountContext, Writer } from '../accounts/operations/context.ts'
import { write } from '../accounts/operations/write.ts'
import { findUnknownIds, lockAlertRule, updateAlertRule } from './alert-rules-store.ts'

/**
 * Adds checks to the selection of an alert rule, up to the most that a rule may have: SV-3002 for the others.
 * A rule for all checks stays as it is. SV-3001 for an unknown rule.
 */
export const addChecksToRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  { accountId, actor }: Writer,
  { alertRuleId, checkIds }: { alertRuleId: string; checkIds: readonly string[] },
): Promise<BulkResult | Refusal> => {
  const audit = {
    action: 'updateAlertRule',
    resourceType: 'alert_rule',
    resourceId: (outcomes: ReadonlyMap<string, Outcome>) =>
      [...outcomes.values()].some(isChange) ? alertRuleId : null,
  }
  const written = await write(context, { accountId, actor }, audit, async (tx) => {
    const rule = await lockAlertRule(tx, accountId, alertRuleId)
    if (rule === null) return unknownRule
    const unknown = await findUnknownIds(tx, accountId, { checkIds, channelIds: [], userIds: [] })
    const known = checkIds.filter((checkId) => !unknown.has(checkId))
    const { selected, outcomes } = select(rule.checkIds, known)
    if (selected !== rule.checkIds) await updateAlertRule(tx, { ...rule, checkIds: selected }, context.now())
    return outcomes
  })
  return isRefusal(written) ? written : bulkResult(checkIds, written)
}

type Selection = { selected: string[] | null; outcomes: ReadonlyMap<string, Outcome> }

/** The selection of a rule with further checks, in their order. */
const select = (before: string[] | null, further: readonly string[]): Selection => {
  const outcomes = new Map<string, Outcome>()
  const selected = new Set(before)
  for (const checkId of further) {
    if (before === null || selected.has(checkId)) outcomes.set(checkId, 'unchanged')
    else if (selected.size >= checksPerRuleMax) outcomes.set(checkId, ruleIsFull)
    else {
      selected.add(checkId)
      outcomes.set(checkId, { changed: checkId })
    }
  }
  return { selected: before === null || selected.size === before.length ? before : [...selected], outcomes }
}

const ruleIsFull = refuse('SV-3002', {
  message: `The limit of ${checksPerRuleMax} checks of an alert rule is reached.`,
})

const unknownRule = refuse('SV-3001', {
  message: 'The account has no alert rule with this id.',
  errors: [{ path: 'act.alertRuleId', message: 'no such alert rule' }],
})
