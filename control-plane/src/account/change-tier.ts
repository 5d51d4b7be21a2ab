import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { Tier } from '@probe-mesh/contracts/tiers'
import { updateAccountTier } from '../postgres/accounts.ts'
import type { AccountRecord } from '../postgres/accounts.ts'
import { operator } from './context.ts'
import type { OperatorContext } from './context.ts'
import { write } from './write.ts'

/**
 * An operator's act. Checks that the new tier would no longer allow keep running as they are; it
 * limits what is created from now on. What is stored is soon kept as long as it says.
 */
export const changeTier = (
  context: OperatorContext,
  { accountId, tier }: { accountId: string; tier: Tier },
): Promise<AccountRecord | Refusal> => {
  const name = { action: 'changeTier', resourceType: 'account', resourceId: () => accountId }
  return write(
    context,
    { accountId, ...operator },
    name,
    async (tx) =>
      (await updateAccountTier(tx, accountId, tier, context.now())) ?? refuse('SV-3001'),
  )
}
