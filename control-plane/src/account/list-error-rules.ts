import type { ErrorRule } from '@probe-mesh/contracts/error-rule'
import { describeErrorRule } from '../error-tracking/alert/error-rule.ts'
import { findErrorRules } from '../postgres/error-rules.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Writer } from './context.ts'

/** The account's alert rules of error tracking, oldest first. */
export const listErrorRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ errorRules: ErrorRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findErrorRules(tx, accountId))
  return { errorRules: rules.map(({ rule, ...waits }) => describeErrorRule(rule, waits)) }
}
