import type { Me } from '@probe-mesh/contracts/account/account'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { findAccount } from '../accounts/accounts-store.ts'
import { countChecks } from '../records/check/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'

/** The account of a key, the use of its limits, and the remaining budgets of the key (S-2111). */
export const getMe = async (
  context: Pick<AccountContext, 'sql' | 'budgets' | 'rules'>,
  caller: Caller,
): Promise<Me | Refusal> => {
  const [account, used] = await inAccount(context.sql, caller.accountId, (tx) =>
    Promise.all([findAccount(tx, caller.accountId), countChecks(tx, caller.accountId)]),
  )
  if (account === null) return refuse('SV-1002')
  const tier = context.rules.tiers[account.tier]
  const left = await context.budgets.left(caller)
  return {
    account: { id: account.id, name: account.name, tier: account.tier },
    key: { scope: caller.scope, name: caller.keyName },
    limits: {
      monitors: { used, allowed: tier.monitors },
      minimumIntervalSeconds: tier.intervalSecondsMin,
      reads: { left: left.reads },
      writes: { left: left.writes },
    },
    regions: [...context.rules.regions],
  }
}
