import { typeIntervalSecondsMin } from '@probe-mesh/contracts/check/check-input'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import { refuseFastInterval } from './refuse-fast-interval.ts'
import type { NewCheck } from './save-new-check.ts'

/**
 * The interval of a check that would be new, seconds: the fastest that its tier and its type allow where
 * none is named. SV-4002 where the tier measures no faster; a heartbeat is measured by nobody. Pure.
 */
export const newInterval = (
  account: { tier: Tier },
  tier: Pick<TierLimits, 'intervalSecondsMin'>,
  { config: { type }, intervalSeconds }: Pick<NewCheck, 'config' | 'intervalSeconds'>,
): number | Refusal => {
  const fastest = Math.max(tier.intervalSecondsMin, typeIntervalSecondsMin(type))
  const seconds = intervalSeconds ?? fastest
  const tooFast = type === 'heartbeat' ? null : refuseFastInterval(account, tier, seconds)
  return tooFast ?? seconds
}
