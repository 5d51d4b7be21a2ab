import type { AlertRule } from '@probe-mesh/contracts/alert/alert-rule'
import { describeAlertRule } from './rule.ts'
import { findAlertRules } from './alert-rules-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Writer } from '../operations/context.ts'

/** The account's alert rules, oldest first. */
export const listAlertRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ alertRules: AlertRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findAlertRules(tx, accountId))
  return { alertRules: rules.map(describeAlertRule) }
}
