import type { Channel } from '@probe-mesh/contracts/channel/channel'
import { findChannels } from './channels-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { describeChannel } from './describe-channel.ts'

/** An account's channels, oldest first. */
export const listChannels = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<{ notificationChannels: Channel[] }> => {
  const channels = await inAccount(context.sql, accountId, (tx) => findChannels(tx, accountId))
  return { notificationChannels: channels.map(describeChannel) }
}
