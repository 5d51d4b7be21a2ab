import type { AlertRule, UpdateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeAlertRule } from './rule.ts'
import { changed } from '@probe-mesh/runtime/changed'
import { lockAlertRule, updateAlertRule as updateRow } from './alert-rules-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { refuseUnknownIds } from './refuse-unknown-ids.ts'
import { write } from '../operations/write.ts'

/**
 * Changes the fields that are given. What the rule watches no longer, or is switched off, it closes
 * without a word; another account's rule is SV-3001.
 */
export const updateAlertRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params, body }: { params: { id: string }; body: UpdateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const name = {
    action: 'updateAlertRule',
    resourceType: 'alert_rule',
    resourceId: () => params.id,
  }
  const written = await write(context, writer, name, async (tx) => {
    const rule = await lockAlertRule(tx, accountId, params.id)
    if (rule === null) return refuse('SV-3001')
    const unknown = await refuseUnknownIds(tx, accountId, body)
    if (unknown !== null) return unknown
    const next = changed(rule, body)
    await updateRow(tx, next, context.now())
    return next
  })
  return isRefusal(written) ? written : describeAlertRule(written)
}
