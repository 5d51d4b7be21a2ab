import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { AccountContext } from '../operations/context.ts'

/** What each tier may, as this server is configured (`TIER_OVERRIDES`). */
export const listTiers = async ({
  rules,
}: Pick<AccountContext, 'rules'>): Promise<{ tiers: Record<Tier, TierLimits> }> => ({
  tiers: { ...rules.tiers },
})
