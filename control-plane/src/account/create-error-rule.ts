import { errorRulesMax } from '@probe-mesh/contracts/error-rule'
import type { CreateErrorRuleInput, ErrorRule } from '@probe-mesh/contracts/error-rule'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { describeErrorRule } from '../error-tracking/alert/error-rule.ts'
import type { ErrorRuleRecord } from '../error-tracking/alert/error-rule.ts'
import { lockAccount } from '../postgres/accounts.ts'
import { findErrorRules, insertErrorRule } from '../postgres/error-rules.ts'
import type { AccountContext, Writer } from './context.ts'
import { refuseUnknownOfRule } from './refuse-unknown-of-rule.ts'
import { write } from './write.ts'

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
