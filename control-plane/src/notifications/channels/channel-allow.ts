import { allowNothing } from '@probe-mesh/contracts/target/address'
import type { AllowList } from '@probe-mesh/contracts/target/address'

/** What the operator opened, for probes and for notification channels. */
export type ChannelRules = {
  /** `TARGET_ALLOW` */
  readonly targetAllow: AllowList
  /** `CHANNEL_ALLOW`; null where it is not set. */
  readonly channelAllow: AllowList | null
}

/** Whose channel it is. */
export type ChannelAccount = {
  readonly accountId: string
  /** Whether it is the account that the operator made at the first start. */
  readonly isOperators: boolean
}

/**
 * What the channels of an account may reach although it is not public: what `CHANNEL_ALLOW` opens, and
 * without it what `TARGET_ALLOW` opens, for the operator's own account alone. Pure.
 */
export const channelAllowOf = (
  { targetAllow, channelAllow }: ChannelRules,
  { accountId, isOperators }: ChannelAccount,
): AllowList => {
  if (channelAllow !== null) return channelAllow.ofAccount(accountId)
  return isOperators ? targetAllow.ofAccount(accountId) : allowNothing
}
