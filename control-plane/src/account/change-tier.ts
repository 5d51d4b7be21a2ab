import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { Tier } from '@probe-mesh/contracts/tiers'
import { updateAccountTier } from '../postgres/accounts.ts'
import type { AccountRecord } from '../postgres/accounts.ts'
import type { OperatorContext } from './context.ts'

/**
 * An operator's act. Checks that the new tier would no longer allow keep running as they are; it
 * limits what is created from now on.
 */
export const changeTier = async (
  context: OperatorContext,
  input: { accountId: string; tier: Tier },
): Promise<AccountRecord | Refusal> =>
  (await updateAccountTier(context.sql, input.accountId, input.tier)) ?? refuse('SV-3001')
