import type { AlertRule } from '@probe-mesh/contracts/alert-rule'
import { describeAlertRule } from '../alerts/rule.ts'
import { findAlertRules } from '../postgres/alert-rules.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Writer } from './context.ts'

/** The account's alert rules, oldest first. */
export const listAlertRules = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Writer, 'accountId'>,
): Promise<{ alertRules: AlertRule[] }> => {
  const rules = await inAccount(context.sql, accountId, (tx) => findAlertRules(tx, accountId))
  return { alertRules: rules.map(describeAlertRule) }
}
