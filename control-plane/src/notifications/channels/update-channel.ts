import type { Channel } from '@probe-mesh/contracts/channel/channel'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { ChannelRecord } from './channel-record.ts'
import { parseChannelConfig } from './config.ts'
import { isOperatorsAccount } from '../../accounts/accounts-store.ts'
import { lockChannel, updateChannelConfig } from './channels-store.ts'
import type { AccountContext, Writer } from '../../operations/context.ts'
import { describeChannel } from './describe-channel.ts'
import { sealChannel } from './seal-channel.ts'
import type { SealingContext } from './seal-channel.ts'
import { write } from '../../operations/write.ts'

type Change = RouteInput<'updateChannel'>['body']

/**
 * Changes a channel's name or replaces its config whole. Any update clears `verified` until the next
 * successful test (S-2003). Refused in this order: no such channel SV-3001, another type or a config that is
 * not of the channel's SV-2001, an unsafe address SV-5001.
 */
export const updateChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'> & SealingContext,
  writer: Writer,
  { params: { id }, body }: RouteInput<'updateChannel'>,
): Promise<Channel | Refusal> => {
  const name = {
    action: 'updateChannel',
    resourceType: 'notification_channel',
    resourceId: () => id,
  }
  return write(context, writer, name, async (tx) => {
    const channel = await lockChannel(tx, writer.accountId, id)
    if (channel === null) return refuse('SV-3001')
    const isOperators = await isOperatorsAccount(tx, writer.accountId)
    const credential = changedCredential(context, { ...channel, isOperators }, body)
    if (isRefusal(credential)) return credential
    const changed: ChannelRecord = {
      ...channel,
      ...credential,
      name: body.name ?? channel.name,
      verifiedAtMs: null,
      updatedAtMs: context.now(),
    }
    await updateChannelConfig(tx, changed)
    return describeChannel(changed)
  })
}

const changedCredential = (
  context: SealingContext,
  channel: ChannelRecord & { isOperators: boolean },
  { type, config }: Change,
): Pick<ChannelRecord, 'credential' | 'summary'> | Refusal => {
  const otherType =
    type === undefined || type === channel.type
      ? []
      : [{ path: 'type', message: `must stay ${channel.type}: a channel keeps its type` }]
  const parsed = config === undefined ? null : parseChannelConfig(channel.type, config)
  const problems = [...otherType, ...(isRefusal(parsed) ? parsed.errors : [])]
  if (problems.length > 0) return refuse('SV-2001', { errors: problems })
  if (parsed === null || isRefusal(parsed)) {
    return { credential: channel.credential, summary: channel.summary }
  }
  return sealChannel(context, parsed, channel)
}
