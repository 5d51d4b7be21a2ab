import type { Channel } from '@probe-mesh/contracts/channel'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import { limits } from '@probe-mesh/contracts/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/refusal'
import type { Refusal } from '@probe-mesh/contracts/refusal'
import type { RouteInput } from '@probe-mesh/contracts/routes'
import { isOperatorsAccount, lockAccount } from '../postgres/accounts.ts'
import { countChannels, insertChannel } from '../postgres/channels.ts'
import type { AccountContext, Writer } from './context.ts'
import { describeChannel } from './describe-channel.ts'
import { sealChannel } from './seal-channel.ts'
import type { SealingContext } from './seal-channel.ts'
import { write } from './write.ts'

/**
 * Creates a channel; it is unverified until a test send succeeds, and gets no other message before. Refused in this order: an unsafe
 * address SV-5001, more channels than an account may have SV-3002.
 */
export const createChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'> & SealingContext,
  writer: Writer,
  { body }: RouteInput<'createChannel'>,
): Promise<Channel | Refusal> => {
  const nowMs = context.now()
  const owner = { id: uuidv7(nowMs), accountId: writer.accountId }
  const name = {
    action: 'createChannel',
    resourceType: 'notification_channel',
    resourceId: () => owner.id,
    answer: (channel: Channel) => channel,
  }
  return write(context, writer, name, async (tx) => {
    // the lock makes the count below hold until the insert
    if ((await lockAccount(tx, writer.accountId)) === null) return refuse('SV-1002')
    const isOperators = await isOperatorsAccount(tx, writer.accountId)
    const sealed = sealChannel(context, body, { ...owner, isOperators })
    if (isRefusal(sealed)) return sealed
    if ((await countChannels(tx, writer.accountId)) >= limits.channelsPerAccountMax) {
      return refuse('SV-3002', {
        message: `An account has at most ${limits.channelsPerAccountMax} notification channels.`,
      })
    }
    const channel = {
      ...owner,
      ...sealed,
      type: body.type,
      name: body.name,
      verifiedAtMs: null,
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    }
    await insertChannel(tx, channel)
    return describeChannel(channel)
  })
}
