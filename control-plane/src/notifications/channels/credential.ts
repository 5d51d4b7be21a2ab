import type { ChannelConfig } from '@probe-mesh/contracts/channel/channel'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Vault } from './vault.ts'
import { SecretUnreadable } from './vault.ts'
import type { ChannelRecord } from './channel-record.ts'
import { parseChannelConfig } from './config.ts'

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
