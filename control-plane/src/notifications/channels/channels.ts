import type { AccountContext, Caller, Writer } from '../../accounts/operations/context.ts'
import type { ChannelSender } from './channel-sender.ts'
import type { Vault } from '../../secrets/vault.ts'
import type { Channel } from '@probe-mesh/contracts/channel/channel'
import {
  findChannels,
  findChannel,
  countChannels,
  insertChannel,
  lockChannel,
  updateChannelConfig,
  deleteChannelRow,
} from './channels-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import { describeChannel, type ChannelRecord } from './channel-record.ts'
import { refuse, isRefusal, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { isOperatorsAccount, lockAccount } from '../../accounts/accounts-store.ts'
import { sealChannel, type SealContext } from './sealed-config.ts'
import { pageOf } from '../../accounts/operations/page-of.ts'
import { write } from '../../accounts/operations/write.ts'
import { parseChannelConfig } from './config.ts'

/** What the operations on notification channels need. */
export type ChannelContext = AccountContext & {
  readonly vault: Vault
  readonly channelSender: ChannelSender
}

/** An account's channels, oldest first. */
export const listChannels = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { query }: RouteInput<'listChannels'>,
): Promise<{ notificationChannels: Channel[]; nextCursor: string | null } | Refusal> => {
  const channels = await inAccount(context.sql, accountId, (tx) => findChannels(tx, accountId))
  const page = pageOf(channels.map(describeChannel), query)
  return isRefusal(page) ? page : { notificationChannels: page.entries, nextCursor: page.nextCursor }
}

/** One channel, without its credential. */
export const getChannel = async (
  context: Pick<AccountContext, 'sql'>,
  { accountId }: Pick<Caller, 'accountId'>,
  { params }: RouteInput<'getChannel'>,
): Promise<Channel | Refusal> => {
  const channel = await inAccount(context.sql, accountId, (tx) => findChannel(tx, accountId, params.id))
  return channel === null ? refuse('SV-3001') : describeChannel(channel)
}

/**
 * Creates a channel. It is unverified, and gets only test messages, until a test succeeds. Refused in this
 * order: an unsafe address SV-5001, too many channels SV-3002.
 */
export const createChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'> & SealContext,
  writer: Writer,
  { body }: RouteInput<'createChannel'>,
): Promise<Channel | Refusal> => {
  const nowMs = context.now()
  const owner = { id: uuidv7(nowMs), accountId: writer.accountId }
  const audit = {
    action: 'createChannel',
    resourceType: 'notification_channel',
    resourceId: () => owner.id,
    answer: (channel: Channel) => channel,
  }
  return write(context, writer, audit, async (tx) => {
    // the lock makes the count below hold until the insert
    if ((await lockAccount(tx, writer.accountId)) === null) return refuse('SV-1002')
    const isOperators = await isOperatorsAccount(tx, writer.accountId)
    const sealed = sealChannel(context, body, { ...owner, isOperators })
    if (isRefusal(sealed)) return sealed
    if ((await countChannels(tx, writer.accountId)) >= limits.channelsPerAccountMax) {
      return refuse('SV-3002', {
        message: `The limit of ${limits.channelsPerAccountMax} notification channels is reached.`,
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

type Change = RouteInput<'updateChannel'>['body']

/**
 * Changes a channel's name or replaces its config. Any update clears `verified` until the next successful
 * test (S-2003). Refused in this order: unknown channel SV-3001, a changed type or a config that does not
 * fit the type SV-2001, an unsafe address SV-5001.
 */
export const updateChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'> & SealContext,
  writer: Writer,
  { params: { id }, body }: RouteInput<'updateChannel'>,
): Promise<Channel | Refusal> => {
  const audit = {
    action: 'updateChannel',
    resourceType: 'notification_channel',
    resourceId: () => id,
  }
  return write(context, writer, audit, async (tx) => {
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
  context: SealContext,
  channel: ChannelRecord & { isOperators: boolean },
  { type, config }: Change,
): Pick<ChannelRecord, 'credential' | 'summary'> | Refusal => {
  const otherType =
    type === undefined || type === channel.type
      ? []
      : [{ path: 'type', message: `must be ${channel.type}: the type of a channel cannot change` }]
  const parsed = config === undefined ? null : parseChannelConfig(channel.type, config)
  const problems = [...otherType, ...(isRefusal(parsed) ? parsed.errors : [])]
  if (problems.length > 0) return refuse('SV-2001', { errors: problems })
  if (parsed === null || isRefusal(parsed)) {
    return { credential: channel.credential, summary: channel.summary }
  }
  return sealChannel(context, parsed, channel)
}

/** Deletes a channel and its pending messages. */
export const deleteChannel = async (
  context: Pick<AccountContext, 'sql' | 'now'>,
  writer: Writer,
  { params: { id } }: RouteInput<'deleteChannel'>,
): Promise<{ id: string; deleted: true } | Refusal> => {
  const audit = {
    action: 'deleteChannel',
    resourceType: 'notification_channel',
    resourceId: () => id,
  }
  return write(context, writer, audit, async (tx) =>
    (await deleteChannelRow(tx, writer.accountId, id)) ? ({ id, deleted: true } as const) : refuse('SV-3001'),
  )
}
