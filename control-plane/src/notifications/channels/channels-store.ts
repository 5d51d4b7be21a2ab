import type { ChannelRecord } from './channel-record.ts'
import type { Connection, Transaction } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** The columns of a `ChannelRecord`. */
const channelColumns = (db: Connection) => db`
  id, account_id as "accountId", type, name, credential, summary,
  ${epochMs(db, 'verified_at')} as "verifiedAtMs", ${epochMs(db, 'created_at')} as "createdAtMs",
  ${epochMs(db, 'updated_at')} as "updatedAtMs"`

/** An account's channels, oldest first. */
export const findChannels = async (db: Connection, accountId: string): Promise<ChannelRecord[]> => {
  return await db<ChannelRecord[]>`
    select ${channelColumns(db)} from notification_channels where account_id = ${accountId} order by created_at, id`
}

/** One channel of an account. Another account's is null like a missing one. */
export const findChannel = async (
  db: Connection,
  accountId: string,
  channelId: string,
): Promise<ChannelRecord | null> => {
  const [row] = await db<ChannelRecord[]>`
    select ${channelColumns(db)} from notification_channels where id = ${channelId} and account_id = ${accountId}`
  return row ?? null
}

/** The channel, locked until the transaction ends. */
export const lockChannel = async (
  tx: Transaction,
  accountId: string,
  channelId: string,
): Promise<ChannelRecord | null> => {
  const [row] = await tx<ChannelRecord[]>`
    select ${channelColumns(tx)} from notification_channels where id = ${channelId} and account_id = ${accountId}
    for update`
  return row ?? null
}

export const countChannels = async (db: Connection, accountId: string): Promise<number> => {
  const [row] = await db<{ count: number }[]>`
    select count(*)::integer as count from notification_channels where account_id = ${accountId}`
  return row?.count ?? 0
}

export const insertChannel = async (db: Connection, channel: ChannelRecord): Promise<void> => {
  const verifiedAt = channel.verifiedAtMs === null ? null : new Date(channel.verifiedAtMs)
  await db`
    insert into notification_channels (id, account_id, type, name, credential, summary, verified_at,
      created_at, updated_at)
    values (${channel.id}, ${channel.accountId}, ${channel.type}, ${channel.name},
      ${channel.credential}, ${db.json(channel.summary)}, ${verifiedAt}, ${new Date(channel.createdAtMs)},
      ${new Date(channel.updatedAtMs)})`
}

/** Writes an update. Pending messages of the channel are retried immediately. */
export const updateChannelConfig = async (tx: Transaction, channel: ChannelRecord): Promise<void> => {
  await tx`
    update notification_channels set name = ${channel.name}, credential = ${channel.credential},
      summary = ${tx.json(channel.summary)}, verified_at = null,
      updated_at = ${new Date(channel.updatedAtMs)}
    where id = ${channel.id}`
  await requeueChannel(tx, channel.id, channel.updatedAtMs)
}

/**
 * Marks a channel as verified after a successful test. Its pending messages are retried immediately.
 * @param slow whether the receiver was slow
 */
export const updateChannelVerified = async (
  tx: Transaction,
  channelId: string,
  slow: boolean,
  nowMs: number,
): Promise<void> => {
  await tx`
    update notification_channels set verified_at = ${new Date(nowMs)}, slow = ${slow}
    where id = ${channelId}`
  await requeueChannel(tx, channelId, nowMs)
}

const requeueChannel = async (tx: Transaction, channelId: string, nowMs: number): Promise<void> => {
  await tx`
    with closed as (
      update notification_channels set failures = 0, open_until = null, failing_since = null,
        failing_detail = null
      where id = ${channelId}
    )
    update deliveries set next_attempt_at = least(next_attempt_at, ${new Date(nowMs)}::timestamptz)
    where channel_id = ${channelId} and state = 'pending'`
  await tx`select pg_notify('deliveries', '')`
}

/** Deletes a channel with its pending messages. @returns whether it existed */
export const deleteChannelRow = async (
  db: Connection,
  accountId: string,
  channelId: string,
): Promise<boolean> => {
  const rows = await db`
    delete from notification_channels where id = ${channelId} and account_id = ${accountId}`
  return rows.count > 0
}
