import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Vault } from './vault.ts'
import { SecretUnreadable } from './vault.ts'
import type { ChannelRecord } from './channel-record.ts'
import { parseChannelConfig, channelUrls } from './config.ts'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import { deniedMessage } from '@probe-mesh/contracts/target/deny-list'
import { parseTarget } from '@probe-mesh/contracts/target/target'
import { channelAllowOf } from './channel-allow.ts'
import { summaryOf } from './summary.ts'
import type { AccountContext } from '../../operations/context.ts'
import { refuseUnsafe } from '../../targets/refuse-unsafe.ts'

/** What a channel's credential is sealed for: it opens for no other account, and no other channel. */
export const channelOwner = ({
  accountId,
  id,
}: Pick<ChannelRecord, 'accountId' | 'id'>): readonly string[] => ['channel', accountId, id]

/** @throws SecretUnreadable */
export const openChannel = (
  vault: Vault,
  channel: Pick<ChannelRecord, 'accountId' | 'id' | 'type' | 'credential'>,
): ChannelConfig => {
  const text = vault.open(channel.credential, channelOwner(channel))
  const config = parseChannelConfig(channel.type, JSON.parse(text))
  if (isRefusal(config)) throw new SecretUnreadable('a config is not of its channel any more')
  return config
}

/** What saving a channel needs: the guard of its addresses, and the vault of its credential. */
export type SealingContext = {
  readonly vault: Vault
  readonly rules: Pick<AccountContext['rules'], 'targetAllow' | 'channelAllow' | 'blockedTargets'>
}

/**
 * A config as it is stored: SV-5001 where it names an address that the account's channels may not
 * reach, otherwise sealed for its channel, with the summary that may be shown.
 */
export const sealChannel = (
  { vault, rules }: SealingContext,
  channel: ChannelConfig,
  owner: Pick<ChannelRecord, 'accountId' | 'id'> & { isOperators: boolean },
): Pick<ChannelRecord, 'credential' | 'summary'> | Refusal => {
  const allow = channelAllowOf(rules, owner)
  const unsafe = channelUrls(channel).flatMap(({ path, url }) => {
    const parsed = parseTarget(url, { allow })
    if (!parsed.ok) return [{ path, ...parsed.problem }]
    const isDenied = rules.blockedTargets.coversHost(parsed.target.host)
    return isDenied ? [{ path, rule: 'denied', message: deniedMessage }] : []
  })
  return (
    refuseUnsafe(unsafe) ?? {
      credential: vault.seal(JSON.stringify(channel.config), channelOwner(owner)),
      summary: summaryOf(channel),
    }
  )
}
