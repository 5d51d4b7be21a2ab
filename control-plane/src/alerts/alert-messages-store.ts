import type { JsonForm } from '@probe-mesh/contracts/channel/json-forms'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { AlertMessage } from './alert-message.ts'
import { addToBatch, newBatch, type MessageBatch } from './message-batch.ts'
import type { Receiver } from './receivers.ts'
import type { Connection, Sql, Transaction } from '../stores/postgres/connect.ts'
import { transact } from '../stores/postgres/transact.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A message for one receiver. Drafts with the same `cause` are one message. */
export type AlertMessageDraft = {
  receiver: Receiver
  checkId: string
  cause: string
  message: AlertMessage
}

/** The batch of a receiver whose send time has passed. */
export type DueBatch = { receiver: Receiver; batch: MessageBatch; inStorm: boolean }

export type WaitingMessage = { cause: string; checkId: string; message: AlertMessage }

/** Receivers that open something for a key, and close it when its recovery comes. */
const formsThatClose: readonly JsonForm[] = ['default', 'template', 'pagerduty', 'jsm']

/**
 * Adds messages to the batches of their receivers. The batches are locked in one order until the
 * transaction ends: a message added while a batch is sent goes into the next one.
 */
export const addAlertMessages = async (
  tx: Transaction,
  drafts: readonly AlertMessageDraft[],
  nowMs: number,
): Promise<void> => {
  if (drafts.length === 0) return
  const receivers = new Map(drafts.map(({ receiver }) => [receiver.id, receiver]))
  const batches = await lockBatches(tx, [...receivers.values()], nowMs)
  const now = new Date(nowMs)
  const rows = drafts.map(({ receiver, checkId, cause, message }) => ({
    id: uuidv7(nowMs),
    account_id: receiver.accountId,
    receiver_id: receiver.id,
    check_id: checkId,
    cause,
    message,
  }))
  // a trigger writes `alerted_checks`
  const added = await tx<{ receiver_id: string }[]>`
    insert into alert_messages (id, account_id, receiver_id, check_id, cause, message, created_at)
    select id, account_id, receiver_id, check_id, cause, message, ${now}::timestamptz
    from jsonb_to_recordset(${tx.json(rows as never)}) as new (id uuid, account_id uuid, receiver_id uuid,
      check_id uuid, cause text, message jsonb)
    where not exists (select from deliveries where deliveries.cause = new.cause)
    on conflict (cause) do nothing
    returning receiver_id`
  for (const receiverId of new Set(added.map((row) => row.receiver_id))) {
    const batch = addToBatch(batches.get(receiverId) ?? newBatch, nowMs)
    await writeBatch(tx, receiverId, batch)
  }
}

const lockBatches = async (
  tx: Transaction,
  receivers: readonly Receiver[],
  nowMs: number,
): Promise<Map<string, MessageBatch>> => {
  const rows = receivers.map(({ id, accountId, kind }) => ({ id, account_id: accountId, kind }))
  await tx`
    insert into alert_gatherings (receiver_id, account_id, kind, told_since, told, in_storm)
    select id, account_id, kind, ${new Date(nowMs)}::timestamptz, 0, false
    from jsonb_to_recordset(${tx.json(rows)}) as r (id uuid, account_id uuid, kind text)
    order by id on conflict do nothing`
  const locked = await tx<BatchRow[]>`
    ${batches(tx)}
    where receiver_id = any(${receivers.map(({ id }) => id)}::uuid[])
    order by receiver_id for update`
  return new Map(locked.map((batch) => [batch.receiver.id, batch]))
}

/**
 * A channel that was never tested, or that fails: its messages wait here and not as deliveries, so that they are
 * composed when it can get them.
 */
const canReceive = (db: Connection, nowMs: number) => db`
  not exists (
    select from notification_channels as channel where channel.id = receiver_id and (
      verified_at is null or open_until > ${new Date(nowMs)} or exists (
        select from deliveries where channel_id = receiver_id and state = 'pending'
          and (attempts > 1 or (attempts = 1 and claimed_until is null)))))`

/** Batches whose send time has passed, of receivers that can get them, that no other process is sending, locked. */
export const claimDueBatches = async (tx: Transaction, nowMs: number, limit: number): Promise<DueBatch[]> => {
  const rows = await tx<BatchRow[]>`
    ${batches(tx)} where send_at <= ${new Date(nowMs)} and ${canReceive(tx, nowMs)}
    order by send_at limit ${limit} for update skip locked`
  return rows.map(({ receiver, inStorm, ...batch }) => ({ receiver, batch, inStorm }))
}

/** An expression: when the next batch is due, Unix ms; null: none waits. Locks nothing. */
export const nextSend = (db: Connection, nowMs: number) => db`(
  select ${epochMs(db, 'send_at')} from alert_gatherings
  where send_at is not null and ${canReceive(db, nowMs)}
  order by send_at limit 1)`

/** Removes a receiver's waiting messages and returns them in order of arrival. */
export const removeAlertMessages = async (tx: Transaction, receiverId: string): Promise<WaitingMessage[]> =>
  await tx<WaitingMessage[]>`
    with taken as (
      delete from alert_messages where receiver_id = ${receiverId}
      returning sequence, cause, check_id, message
    )
    select cause, check_id as "checkId", message from taken order by sequence`

/** A delivery to a channel that was not tried for this long is taken back, ms. */
const untriedMsMax = 30_000

/**
 * Takes back what waits as deliveries that were never tried, as their channel failed before their turn: it becomes
 * waiting messages again. Forgets what was sent or failed.
 */
export const takeBackUntried = async (sql: Sql, nowMs: number): Promise<void> =>
  transact(sql, async (tx) => {
    const now = new Date(nowMs)
    await tx`
      delete from carried_messages using deliveries
      where deliveries.id = delivery_id and state <> 'pending'`
    const untried = await tx<{ id: string }[]>`
      select id from deliveries
      where id in (select delivery_id from carried_messages) and state = 'pending' and attempts = 0
        and created_at <= ${new Date(nowMs - untriedMsMax)}
      for update skip locked`
    if (untried.length === 0) return
    const ids = untried.map(({ id }) => id)
    await tx`
      insert into alert_messages (id, account_id, receiver_id, check_id, cause, message, created_at)
      select gen_random_uuid(), carried.account_id, receiver_id, check_id, cause, message, carried.created_at
      from carried_messages as carried join checks on checks.id = check_id
      where delivery_id = any(${ids}::uuid[]) order by sequence
      for key share of checks
      on conflict do nothing`
    await tx`
      update alert_gatherings set opened_at = coalesce(opened_at, ${now}), send_at = coalesce(send_at, ${now})
      where receiver_id in (select receiver_id from carried_messages where delivery_id = any(${ids}::uuid[]))`
    await tx`update alerted_checks set delivery_id = null where delivery_id = any(${ids}::uuid[])`
    await tx`delete from deliveries where id = any(${ids}::uuid[])`
  })

/** Messages that wait longer, for a receiver that gets none, and those beyond the newest of a receiver, are dropped. */
const keptMs = 86_400_000
const keptOfReceiver = 1_000

/** @returns how many were dropped */
export const dropWaiting = async (db: Connection, nowMs: number): Promise<number> => {
  const dropped = await db`
    delete from alert_messages where created_at < ${new Date(nowMs - keptMs)} or id in (
      select id from (
        select id, row_number() over (partition by receiver_id order by sequence desc) as place from alert_messages
      ) as placed where place > ${keptOfReceiver})`
  return dropped.count
}

/** The causes of what was written about these checks, to anybody, since a time. */
export const findWrittenCauses = async (
  tx: Transaction,
  checkIds: readonly string[],
  sinceMs: number,
): Promise<string[]> => {
  const rows = await tx<{ cause: string }[]>`
    select cause from alerted_checks
    where check_id = any(${[...checkIds]}::uuid[]) and at >= ${new Date(sinceMs)}`
  return rows.map(({ cause }) => cause)
}

/**
 * Of these outages those that a receiver was told of by a message of its own, which only a message with the same key
 * closes there. None of a receiver that people read: a chat, or mail.
 * @param outages a check and the key of its alert
 * @returns the keys
 */
export const findToldSingly = async (
  tx: Transaction,
  { id, kind }: Receiver,
  outages: readonly { checkId: string; alertKey: string }[],
): Promise<ReadonlySet<string>> => {
  if (kind === 'mail' || outages.length === 0) return new Set()
  const rows = outages.map(({ checkId, alertKey }) => ({ check_id: checkId, alert_key: alertKey }))
  const told = await tx<{ key: string }[]>`
    select alert_key as key
    from jsonb_to_recordset(${tx.json(rows)}) as outage (check_id uuid, alert_key text)
    where exists (
      select from notification_channels
      where id = ${id} and (type = 'opsgenie' or type = 'json' and
        coalesce(summary ->> 'form', 'default') = any(${[...formsThatClose]})))
    and exists (
      select from alerted_checks as told
      where told.check_id = outage.check_id and event in ('alert', 'reminder')
        and starts_with(cause, alert_key || ':') and cause like ${`%:${id}`}
        -- a single message has the cause of what it says; its delivery may be pruned, or of a version that notes none
        and (exists (select from deliveries where deliveries.cause = told.cause) or delivery_id is not null and not exists (
          select from alerted_checks as other
          where other.delivery_id = told.delivery_id and other.check_id <> told.check_id)))`
  return new Set(told.map(({ key }) => key))
}

/** Forgets messages that were written and are told in no delivery. */
export const forgetWritten = async (tx: Transaction, messages: readonly WaitingMessage[]): Promise<void> => {
  await tx`delete from alerted_checks where cause = any(${messages.map(({ cause }) => cause)})`
}

/** Notes which delivery carries these messages of a receiver, and for a channel what they say. */
export const noteCarriers = async (
  tx: Transaction,
  receiver: Receiver,
  carried: readonly { one: WaitingMessage; deliveryCause: string }[],
  nowMs: number,
): Promise<void> => {
  const rows = carried.map(({ one: { cause, checkId, message }, deliveryCause }, sequence) => ({
    cause,
    sequence,
    check_id: checkId,
    message,
    delivery_cause: deliveryCause,
  }))
  if (receiver.kind === 'channel') {
    await tx`
      insert into carried_messages (cause, sequence, delivery_id, account_id, receiver_id, check_id, message, created_at)
      select carried.cause, carried.sequence, deliveries.id, ${receiver.accountId}, ${receiver.id}, check_id,
        carried.message, ${new Date(nowMs)}
      from jsonb_to_recordset(${tx.json(rows as never)}) as carried (cause text, sequence bigint, check_id uuid,
          message jsonb, delivery_cause text)
        join deliveries on deliveries.cause = carried.delivery_cause
      on conflict do nothing`
  }
  await tx`
    update alerted_checks set delivery_id = deliveries.id
    from jsonb_to_recordset(${tx.json(rows as never)}) as carried (cause text, delivery_cause text)
      join deliveries on deliveries.cause = carried.delivery_cause
    where alerted_checks.cause = carried.cause`
}

export const writeBatch = async (
  tx: Transaction,
  receiverId: string,
  { openedAtMs, sendAtMs, sentSinceMs, sent }: MessageBatch,
): Promise<void> => {
  await tx`
    update alert_gatherings set opened_at = ${dateOf(openedAtMs)}, send_at = ${dateOf(sendAtMs)},
      told_since = ${new Date(sentSinceMs)}, told = ${sent}
    where receiver_id = ${receiverId}`
}

export const writeStorm = async (tx: Transaction, receiverId: string, inStorm: boolean): Promise<void> => {
  await tx`
    update alert_gatherings set in_storm = ${inStorm} where receiver_id = ${receiverId}`
}

/** Deletes the batch of a deleted receiver. */
export const deleteBatch = async (tx: Transaction, receiverId: string): Promise<void> => {
  await tx`delete from alert_gatherings where receiver_id = ${receiverId}`
}

/** Whether an account has an alert that was sent and has not recovered. */
export const hasOpenAlerts = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const [row] = await tx<{ open: boolean }[]>`
    select exists (
      select from alerts join checks on checks.id = alerts.check_id
      where alerts.account_id = ${accountId} and state ->> 'phase' = 'alerted') as open`
  return row?.open ?? false
}

type BatchRow = MessageBatch & { receiver: Receiver; inStorm: boolean }

const batches = (tx: Transaction) => tx`
  select json_build_object('id', receiver_id, 'accountId', account_id, 'kind', kind) as receiver,
    ${epochMs(tx, 'opened_at')} as "openedAtMs", ${epochMs(tx, 'send_at')} as "sendAtMs",
    ${epochMs(tx, 'told_since')} as "sentSinceMs", told as sent, in_storm as "inStorm"
  from alert_gatherings`

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))
