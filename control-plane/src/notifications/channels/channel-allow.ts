import { allowNothing, type AllowList } from '@probe-mesh/contracts/target/address'

/** The private ranges that the operator opened, for probes and for notification channels. */
export type ChannelRules = {
  /** `TARGET_ALLOW` */
  readonly targetAllow: AllowList
  /** `CHANNEL_ALLOW`; null when it is not set. */
  readonly channelAllow: AllowList | null
}

/** The account of a channel. */
export type ChannelAccount = {
  readonly accountId: string
  /** Whether it is the account that was created at the first start. */
  readonly isOperators: boolean
}

/**
 * The addresses that are not public and that channels of an account may reach: those of `CHANNEL_ALLOW`,
 * or without it those of `TARGET_ALLOW`, for the operator's account only.
 */
export const channelAllowOf = (
  { targetAllow, channelAllow }: ChannelRules,
  { accountId, isOperators }: ChannelAccount,
): AllowList => {
  if (channelAllow !== null) return channelAllow.ofAccount(accountId)
  return isOperators ? targetAllow.ofAccount(accountId) : allowNothing
}
