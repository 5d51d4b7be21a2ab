import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'

/** SV-4002 where the account's tier measures no faster than its minimum. */
export const refuseFastInterval = (
  account: { tier: Tier },
  limits: Pick<TierLimits, 'intervalSecondsMin'>,
  intervalSeconds: number,
): Refusal | null => {
  if (intervalSeconds >= limits.intervalSecondsMin) return null
  const message = `The ${account.tier} tier measures every ${limits.intervalSecondsMin} seconds or slower.`
  return refuse('SV-4002', { message, errors: [{ path: 'intervalSeconds', message }] })
}
