import type { AlertRule, CreateAlertRuleInput } from '@probe-mesh/contracts/alert/alert-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeAlertRule } from './rule.ts'
import type { AlertRuleRecord } from './rule.ts'
import { lockAccount } from '../accounts/accounts-store.ts'
import { findAlertRules, insertAlertRule } from './alert-rules-store.ts'
import type { AccountContext, Writer } from '../operations/context.ts'
import { refuseUnknownIds } from './refuse-unknown-ids.ts'
import { write } from '../operations/write.ts'

/**
 * Makes an alert rule. It tells of what happens from now on, not of what is down already. Refused in
 * this order: checks and channels that are not there SV-2001, too many rules SV-3002.
 */
export const createAlertRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body }: { body: CreateAlertRuleInput },
): Promise<AlertRule | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const { unconfirmed = body.statuses.includes('down') } = body
  const id = uuidv7(createdAtMs)
  const rule: AlertRuleRecord = { ...body, unconfirmed, id, accountId, createdAtMs }
  const name = { action: 'createAlertRule', resourceType: 'alert_rule', resourceId: () => rule.id }
  const written = await write(context, writer, name, async (tx) => {
    const unknown = await refuseUnknownIds(tx, accountId, rule)
    if (unknown !== null) return unknown
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findAlertRules(tx, accountId)).length >= limits.alertRulesPerAccountMax) {
      return refuse('SV-3002', {
        message: `The account has ${limits.alertRulesPerAccountMax} alert rules, which is the most.`,
      })
    }
    await insertAlertRule(tx, rule)
    return rule
  })
  return isRefusal(written) ? written : describeAlertRule(written)
}
