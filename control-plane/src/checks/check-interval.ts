import { typeIntervalSecondsMin } from '@probe-mesh/contracts/check/check-input'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { timeoutProblem } from '@probe-mesh/contracts/check/check-timeout'
import type { StoredConfig } from '../check-record/check-record.ts'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'

/**
 * The interval of a check that would be new, seconds: the fastest that its tier and its type allow where
 * none is named. SV-4002 where the tier measures no faster; a heartbeat is measured by nobody. Pure.
 */
export const newInterval = (
  account: { tier: Tier },
  tier: Pick<TierLimits, 'intervalSecondsMin'>,
  {
    config: { type },
    intervalSeconds,
  }: { config: { type: CheckType }; intervalSeconds: number | undefined },
): number | Refusal => {
  const fastest = Math.max(tier.intervalSecondsMin, typeIntervalSecondsMin(type))
  const seconds = intervalSeconds ?? fastest
  const tooFast = type === 'heartbeat' ? null : refuseFastInterval(account, tier, seconds)
  return tooFast ?? seconds
}

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

/** A timeout that the interval has no room for: a run must end before the next slot. SV-2001. Pure. */
export const refuseLongTimeout = (
  config: StoredConfig,
  intervalSeconds: number,
): Refusal | null => {
  const timeoutSeconds = 'timeoutSeconds' in config ? config.timeoutSeconds : undefined
  const message = timeoutProblem(timeoutSeconds, intervalSeconds)
  return message === null
    ? null
    : refuse('SV-2001', { errors: [{ path: 'timeoutSeconds', message }] })
}

/** What a check with a cron schedule, whose pings are not evenly apart, is said to be every, seconds. */
const cronIntervalSeconds = 60

/**
 * The interval of a heartbeat, seconds: how far its pings are apart. Nothing is due by it, since a
 * heartbeat has no regions.
 */
export const heartbeatIntervalSeconds = ({
  periodSeconds,
}: Pick<HeartbeatSettings, 'periodSeconds'>): number => periodSeconds ?? cronIntervalSeconds
