import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier } from '@probe-mesh/contracts/account/tiers'
import { updateAccountTier } from './accounts-store.ts'
import type { AccountRecord } from './accounts-store.ts'
import { operator } from '../operations/context.ts'
import type { OperatorContext } from '../operations/context.ts'
import { write } from '../operations/write.ts'

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
