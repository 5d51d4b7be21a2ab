import type { Channel } from '@probe-mesh/contracts/channel/channel'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { findChannel } from './channels-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
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
