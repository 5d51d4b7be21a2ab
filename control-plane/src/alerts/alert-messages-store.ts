import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { AlertMessage } from './alert-message.ts'
import type { Gathering } from './gather.ts'
import { gather, newGathering } from './gather.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

/** Who is told: a channel, or a user by mail. */
export type Receiver = { id: string; accountId: string; kind: 'channel' | 'mail' }

/** What is to be told to one receiver. `cause` written twice is one message. */
export type AlertMessageDraft = {
  receiver: Receiver
  checkId: string
  cause: string
  message: AlertMessage
}

/** Messages that wait for one receiver, and how fast it is told things. */
export type DueGathering = { receiver: Receiver; gathering: Gathering; inStorm: boolean }

export type WaitingMessage = { cause: string; checkId: string; message: AlertMessage }

/** The channels of these accounts, and their users. Messages wait for a channel that is not verified. */
export const findReceivers = async (
  transaction: Transaction,
  accountIds: readonly string[],
): Promise<Receiver[]> => {
  const rows = await transaction<{ id: string; account_id: string; kind: Receiver['kind'] }[]>`
    select id, account_id, 'channel' as kind from notification_channels
    where account_id = any(${[...accountIds]}::uuid[])
    union all
    select id, account_id, 'mail' as kind from users
    where account_id = any(${[...accountIds]}::uuid[])
    order by id`
  return rows.map((row) => ({ id: row.id, accountId: row.account_id, kind: row.kind }))
}

/**
 * Adds messages to what waits for their receivers. Each receiver's row is locked until the
 * transaction ends, in one order: what is added while it is being sent waits for the next time.
 */
export const addAlertMessages = async (
  transaction: Transaction,
  drafts: readonly AlertMessageDraft[],
  nowMs: number,
): Promise<void> => {
  if (drafts.length === 0) return
  const receivers = new Map(drafts.map(({ receiver }) => [receiver.id, receiver]))
  const gatherings = await lockGatherings(transaction, [...receivers.values()], nowMs)
  const now = new Date(nowMs)
  const rows = drafts.map(({ receiver, checkId, cause, message }) => ({
    id: uuidv7(nowMs),
    account_id: receiver.accountId,
    receiver_id: receiver.id,
    check_id: checkId,
    cause,
    message,
  }))
  const added = await transaction<{ receiver_id: string }[]>`
    insert into alert_messages (id, account_id, receiver_id, check_id, cause, message, created_at)
    select id, account_id, receiver_id, check_id, cause, message, ${now}::timestamptz
    from jsonb_to_recordset(${transaction.json(rows as never)}) as m (id uuid, account_id uuid,
      receiver_id uuid, check_id uuid, cause text, message jsonb)
    where not exists (select from deliveries where deliveries.cause = m.cause)
    on conflict (cause) do nothing
    returning receiver_id`
  for (const receiverId of new Set(added.map((row) => row.receiver_id))) {
    const gathering = gather(gatherings.get(receiverId) ?? newGathering, nowMs)
    await writeGathering(transaction, receiverId, gathering)
  }
}

const lockGatherings = async (
  transaction: Transaction,
  receivers: readonly Receiver[],
  nowMs: number,
): Promise<Map<string, Gathering>> => {
  const rows = receivers.map(({ id, accountId, kind }) => ({ id, account_id: accountId, kind }))
  await transaction`
    insert into alert_gatherings (receiver_id, account_id, kind, told_since, told, in_storm)
    select id, account_id, kind, ${new Date(nowMs)}::timestamptz, 0, false
    from jsonb_to_recordset(${transaction.json(rows)}) as r (id uuid, account_id uuid, kind text)
    order by id on conflict do nothing`
  const locked = await transaction<GatheringRow[]>`
    select * from alert_gatherings
    where receiver_id = any(${receivers.map(({ id }) => id)}::uuid[])
    order by receiver_id for update`
  return new Map(locked.map((row) => [row.receiver_id, toGathering(row)]))
}

/** Receivers whose messages are to be sent now and that nobody else sends to, locked. */
export const claimDueGatherings = async (
  transaction: Transaction,
  nowMs: number,
  limit: number,
): Promise<DueGathering[]> => {
  const rows = await transaction<GatheringRow[]>`
    select * from alert_gatherings where send_at <= ${new Date(nowMs)}
    order by send_at limit ${limit} for update skip locked`
  return rows.map((row) => ({
    receiver: { id: row.receiver_id, accountId: row.account_id, kind: row.kind },
    gathering: toGathering(row),
    inStorm: row.in_storm,
  }))
}

/** Takes what waits for a receiver, in the order it came. */
export const takeAlertMessages = async (
  transaction: Transaction,
  receiverId: string,
): Promise<WaitingMessage[]> => {
  const rows = await transaction<
    { sequence: string; cause: string; check_id: string; message: AlertMessage }[]
  >`
    with taken as (
      delete from alert_messages where receiver_id = ${receiverId}
      returning sequence, cause, check_id, message
    )
    select * from taken order by sequence`
  return rows.map((row) => ({ cause: row.cause, checkId: row.check_id, message: row.message }))
}

export const writeGathering = async (
  transaction: Transaction,
  receiverId: string,
  { openedAtMs, sendAtMs, toldSinceMs, told }: Gathering,
): Promise<void> => {
  await transaction`
    update alert_gatherings set opened_at = ${dateOf(openedAtMs)}, send_at = ${dateOf(sendAtMs)},
      told_since = ${new Date(toldSinceMs)}, told = ${told}
    where receiver_id = ${receiverId}`
}

export const writeStorm = async (
  transaction: Transaction,
  receiverId: string,
  inStorm: boolean,
): Promise<void> => {
  await transaction`
    update alert_gatherings set in_storm = ${inStorm} where receiver_id = ${receiverId}`
}

/** Where a receiver is told: null when the channel or the user is gone. It stays until the end. */
export const findAddress = async (
  transaction: Transaction,
  { id, kind }: Receiver,
): Promise<string | null> => {
  const rows =
    kind === 'channel'
      ? await transaction<{ address: string }[]>`
          select id::text as address from notification_channels where id = ${id} for key share`
      : await transaction<{ address: string }[]>`
          select email as address from users where id = ${id} for key share`
  return rows[0]?.address ?? null
}

/** Forgets a receiver that is gone. */
export const deleteGathering = async (
  transaction: Transaction,
  receiverId: string,
): Promise<void> => {
  await transaction`delete from alert_gatherings where receiver_id = ${receiverId}`
}

/** Whether any alert of an account is told and not recovered. */
export const hasOpenAlerts = async (
  transaction: Transaction,
  accountId: string,
): Promise<boolean> => {
  const [row] = await transaction<{ open: boolean }[]>`
    select exists (
      select from alerts join checks on checks.id = alerts.check_id
      where alerts.account_id = ${accountId} and state ->> 'phase' = 'alerted') as open`
  return row?.open ?? false
}

type GatheringRow = {
  receiver_id: string
  account_id: string
  kind: Receiver['kind']
  opened_at: Date | null
  send_at: Date | null
  told_since: Date
  told: number
  in_storm: boolean
}

const toGathering = (row: GatheringRow): Gathering => ({
  openedAtMs: row.opened_at?.getTime() ?? null,
  sendAtMs: row.send_at?.getTime() ?? null,
  toldSinceMs: row.told_since.getTime(),
  told: row.told,
})

const dateOf = (ms: number | null): Date | null => (ms === null ? null : new Date(ms))
