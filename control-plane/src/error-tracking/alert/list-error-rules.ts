import type { ErrorRule } from '@probe-mesh/contracts/error-tracking/error-rule'
import { describeErrorRule } from '../events/alert/error-rule.ts'
import { findErrorRules } from './error-rules-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'

/** The account's alert rules of error tracking, oldest first. */
export const listErrorRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ errorRules: ErrorRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findErrorRules(tx, accountId))
  return { errorRules: rules.map(({ rule, ...waits }) => describeErrorRule(rule, waits)) }
}
