import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { AccountContext } from './operations/context.ts'

/** The limits of each tier, as configured on this server (`TIER_OVERRIDES`). */
export const listTiers = async ({
  rules,
}: Pick<AccountContext, 'rules'>): Promise<{ tiers: Record<Tier, TierLimits> }> => ({
  tiers: { ...rules.tiers },
})
