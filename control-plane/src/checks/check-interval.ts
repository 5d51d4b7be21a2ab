import { typeIntervalSecondsMin } from '@probe-mesh/contracts/check/check-input'
import { refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { CheckType } from '@probe-mesh/contracts/check/check'
import { timeoutProblem } from '@probe-mesh/contracts/check/check-timeout'
import type { StoredConfig } from '../records/check/check-record.ts'
import type { HeartbeatSettings } from '@probe-mesh/contracts/heartbeat/heartbeat'

/**
 * The interval of a new check in seconds: as named, or else the fastest that the account's plan and the
 * check's type allow. SV-4002 if the plan does not allow it; heartbeats are exempt, since nothing probes
 * them.
 */
export const newInterval = (
  account: { tier: Tier },
  tier: Pick<TierLimits, 'intervalSecondsMin'>,
  { config: { type }, intervalSeconds }: { config: { type: CheckType }; intervalSeconds: number | undefined },
): number | Refusal => {
  const fastest = Math.max(tier.intervalSecondsMin, typeIntervalSecondsMin(type))
  const seconds = intervalSeconds ?? fastest
  const tooFast = type === 'heartbeat' ? null : refuseFastInterval(account, tier, seconds)
  return tooFast ?? seconds
}

/** SV-4002 if the interval is shorter than the account's plan allows. */
export const refuseFastInterval = (
  account: { tier: Tier },
  limits: Pick<TierLimits, 'intervalSecondsMin'>,
  intervalSeconds: number,
): Refusal | null => {
  if (intervalSeconds >= limits.intervalSecondsMin) return null
  const message = `"intervalSeconds" is ${intervalSeconds} s; the ${account.tier} plan allows ${limits.intervalSecondsMin} s or more.`
  return refuse('SV-4002', { message, errors: [{ path: 'intervalSeconds', message }] })
}

/** SV-2001 if a run could last beyond the next slot: the timeout must fit into the interval. */
export const refuseLongTimeout = (config: StoredConfig, intervalSeconds: number): Refusal | null => {
  const timeoutSeconds = 'timeoutSeconds' in config ? config.timeoutSeconds : undefined
  const message = timeoutProblem(timeoutSeconds, intervalSeconds)
  return message === null ? null : refuse('SV-2001', { errors: [{ path: 'timeoutSeconds', message }] })
}

/** The interval reported for a check with a cron schedule, whose pings are not evenly apart; seconds. */
const cronIntervalSeconds = 60

/**
 * The interval of a heartbeat in seconds: the time between its pings. It has no regions, so no slot follows
 * from it.
 */
export const heartbeatIntervalSeconds = ({
  periodSeconds,
}: Pick<HeartbeatSettings, 'periodSeconds'>): number => periodSeconds ?? cronIntervalSeconds
