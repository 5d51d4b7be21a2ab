import type { Check } from '@probe-mesh/contracts/check/check'
import { findChecks } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { describeCheck } from './describe-check.ts'

/** Every check of the account, of every type, oldest first (S-202). */
export const listChecks = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  caller: Pick<Caller, 'accountId'>,
): Promise<{ checks: Check[] }> => {
  const checks = await inAccount(context.sql, caller.accountId, (tx) =>
    findChecks(tx, caller.accountId),
  )
  const nowMs = context.now()
  return { checks: checks.map((check) => describeCheck(check, nowMs)) }
}
