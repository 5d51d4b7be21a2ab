import type { Tier, TierLimits } from '@probe-mesh/contracts/tiers'
import type { AccountContext } from './context.ts'

/** What each tier may, as this server is configured (`TIER_OVERRIDES`). */
export const listTiers = async ({
  rules,
}: Pick<AccountContext, 'rules'>): Promise<{ tiers: Record<Tier, TierLimits> }> => ({
  tiers: { ...rules.tiers },
})
