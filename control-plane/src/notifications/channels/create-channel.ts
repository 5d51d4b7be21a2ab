import type { Channel } from '@probe-mesh/contracts/channel/channel'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { isOperatorsAccount, lockAccount } from '../../accounts/accounts-store.ts'
import { countChannels, insertChannel } from './channels-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { describeChannel } from './describe-channel.ts'
import { sealChannel } from './seal-channel.ts'
import type { SealingContext } from './seal-channel.ts'
import { write } from '../../operations/write.ts'

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
