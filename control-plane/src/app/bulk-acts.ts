import type { BulkAct, BulkInput, BulkResult } from '@probe-mesh/contracts/check/check-input'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { listAlertRules, updateAlertRule } from '../alerts/alert-rules.ts'
import { changeEach, pauseCheck, tagCheck } from '../checks/change-checks.ts'
import { deleteCheck } from '../checks/delete-check.ts'
import type { Caller } from '../operations/context.ts'
import { createComponent } from '../status-pages/components.ts'
import type { AppContext } from './app-parts.ts'

/**
 * One act on many checks, from the list of the dashboard. Each check has its own outcome; an alert rule takes all of
 * them at once, or none.
 */
export const changeChecks = async (
  context: AppContext,
  caller: Caller,
  { checkIds, act }: BulkInput,
): Promise<BulkResult | Refusal> =>
  act.kind === 'add_to_rule'
    ? addToRule(context, caller, checkIds, act.alertRuleId)
    : changeEach(checkIds, (checkId) => doOne(context, withoutClaim(caller), checkId, act))

/** A claim of an `Idempotency-Key` is for one write; these acts may be repeated as they are. */
const withoutClaim = ({ claim: _claim, ...caller }: Caller): Caller => caller

const doOne = (
  context: AppContext,
  caller: Caller,
  checkId: string,
  act: Exclude<BulkAct, { kind: 'add_to_rule' }>,
): Promise<unknown> => {
  switch (act.kind) {
    case 'pause':
    case 'resume':
      return pauseCheck(context, caller, { checkId, paused: act.kind === 'pause' })
    case 'delete':
      return deleteCheck(context, caller, { params: { id: checkId } })
    case 'add_tag':
    case 'remove_tag':
      return tagCheck(context, caller, { checkId, tag: act.tag, isThere: act.kind === 'add_tag' })
    case 'publish':
      return createComponent(context, caller, { params: { id: act.statusPageId }, body: { checkId } })
    default:
      return act satisfies never
  }
}

/** A rule for all checks applies to these already. */
const addToRule = async (
  context: AppContext,
  caller: Caller,
  checkIds: readonly string[],
  alertRuleId: string,
): Promise<BulkResult | Refusal> => {
  const { alertRules } = await listAlertRules(context, caller)
  const rule = alertRules.find(({ id }) => id === alertRuleId)
  if (rule === undefined) return refuse('SV-3001')
  const done = { changed: [...checkIds], unchanged: [] }
  if (rule.checkIds === null) return done
  const body = { checkIds: [...new Set([...rule.checkIds, ...checkIds])] }
  const written = await updateAlertRule(context, caller, { params: { id: alertRuleId }, body })
  return isRefusal(written) ? written : done
}
