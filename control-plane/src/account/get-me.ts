import type { Me } from '@probe-mesh/contracts/account'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import { findAccount } from '../postgres/accounts.ts'
import { countChecks } from '../postgres/checks.ts'
import type { AccountContext, Caller } from './context.ts'

/** Who the key is, and what is left of the limits of its account and of its own budgets. */
export const getMe = async (
  context: Pick<AccountContext, 'sql' | 'budgets' | 'rules'>,
  caller: Caller,
): Promise<Me | Refusal> => {
  const [account, used] = await Promise.all([
    findAccount(context.sql, caller.accountId),
    countChecks(context.sql, caller.accountId),
  ])
  if (account === null) return refuse('SV-1002')
  const tier = context.rules.tiers[account.tier]
  const left = context.budgets.left(caller.keyId)
  return {
    account: { id: account.id, name: account.name, tier: account.tier },
    key: { scope: caller.scope, name: caller.keyName },
    limits: {
      monitors: { used, allowed: tier.monitors },
      minimumIntervalSeconds: tier.intervalSecondsMin,
      reads: { left: left.reads },
      writes: { left: left.writes },
    },
  }
}
