import { errorRulesMax } from '@probe-mesh/contracts/error-tracking/error-rule'
import type {
  CreateErrorRuleInput,
  ErrorRule,
} from '@probe-mesh/contracts/error-tracking/error-rule'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { describeErrorRule } from '../events/alert/error-rule.ts'
import type { ErrorRuleRecord } from '../events/alert/error-rule.ts'
import { lockAccount } from '../../accounts/accounts-store.ts'
import { findErrorRules, insertErrorRule } from './error-rules-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { refuseUnknownOfRule } from './refuse-unknown-of-rule.ts'
import { write } from '../../operations/write.ts'

/**
 * Makes an alert rule of error tracking. It tells of what begins from now on. Refused in this order:
 * projects and channels that are not there SV-2001, too many rules SV-3002.
 */
export const createErrorRule = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { body }: { body: CreateErrorRuleInput },
): Promise<ErrorRule | Refusal> => {
  const { accountId } = writer
  const createdAtMs = context.now()
  const rule: ErrorRuleRecord = { ...body, id: uuidv7(createdAtMs), accountId, createdAtMs }
  const name = { action: 'createErrorRule', resourceType: 'error_rule', resourceId: () => rule.id }
  const written = await write(context, writer, name, async (tx) => {
    const unknown = await refuseUnknownOfRule(tx, accountId, rule)
    if (unknown !== null) return unknown
    if ((await lockAccount(tx, accountId)) === null) return refuse('SV-1002')
    if ((await findErrorRules(tx, accountId)).length >= errorRulesMax) {
      return refuse('SV-3002', {
        message: `The account has ${errorRulesMax} alert rules of error tracking, which is the most.`,
      })
    }
    await insertErrorRule(tx, rule)
    return rule
  })
  return isRefusal(written) ? written : describeErrorRule(written, null)
}
