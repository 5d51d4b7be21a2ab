import type { Channel } from '@probe-mesh/contracts/channel'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { findChannel } from '../postgres/channels.ts'
import { inAccount } from '../postgres/in-account.ts'
import type { AccountContext, Caller } from './context.ts'
import { describeChannel } from './describe-channel.ts'

/** One channel, its credential redacted. */
export const getChannel = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params }: RouteInput<'getChannel'>,
): Promise<Channel | Refusal> => {
  const channel = await inAccount(context.sql, accountId, (tx) =>
    findChannel(tx, accountId, params.id),
  )
  return channel === null ? refuse('SV-3001') : describeChannel(channel)
}
