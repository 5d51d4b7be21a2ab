import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import type { AlertMessage } from './alert-message.ts'
import type { Gathering } from './gather.ts'
import { gather, newGathering } from './gather.ts'
import type { Receiver } from './receivers.ts'
import type { Transaction } from '../stores/postgres/connect.ts'

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

/**
 * Adds messages to what waits for their receivers. Each receiver's row is locked until the
 * transaction ends, in one order: what is added while it is being sent waits for the next time.
 */
export const addAlertMessages = async (
  tx: Transaction,
  drafts: readonly AlertMessageDraft[],
  nowMs: number,
): Promise<void> => {
  if (drafts.length === 0) return
  const receivers = new Map(drafts.map(({ receiver }) => [receiver.id, receiver]))
  const gatherings = await lockGatherings(tx, [...receivers.values()], nowMs)
  const now = new Date(nowMs)
  const rows = drafts.map(({ receiver, checkId, cause, message }) => ({
    id: uuidv7(nowMs),
    account_id: receiver.accountId,
    receiver_id: receiver.id,
    check_id: checkId,
    cause,
    message,
  }))
  const added = await tx<{ receiver_id: string }[]>`
    insert into alert_messages (id, account_id, receiver_id, check_id, cause, message, created_at)
    select id, account_id, receiver_id, check_id, cause, message, ${now}::timestamptz
    from jsonb_to_recordset(${tx.json(rows as never)}) as m (id uuid, account_id uuid,
      receiver_id uuid, check_id uuid, cause text, message jsonb)
    where not exists (select from deliveries where deliveries.cause = m.cause)
    on conflict (cause) do nothing
    returning receiver_id`
  for (const receiverId of new Set(added.map((row) => row.receiver_id))) {
    const gathering = gather(gatherings.get(receiverId) ?? newGathering, nowMs)
    await writeGathering(tx, receiverId, gathering)
  }
}

const lockGatherings = async (
  tx: Transaction,
  receivers: readonly Receiver[],
  nowMs: number,
): Promise<Map<string, Gathering>> => {
  const rows = receivers.map(({ id, accountId, kind }) => ({ id, account_id: accountId, kind }))
  await tx`
    insert into alert_gatherings (receiver_id, account_id, kind, told_since, told, in_storm)
    select id, account_id, kind, ${new Date(nowMs)}::timestamptz, 0, false
    from jsonb_to_recordset(${tx.json(rows)}) as r (id uuid, account_id uuid, kind text)
    order by id on conflict do nothing`
  const locked = await tx<GatheringRow[]>`
    select * from alert_gatherings
    where receiver_id = any(${receivers.map(({ id }) => id)}::uuid[])
    order by receiver_id for update`
  return new Map(locked.map((row) => [row.receiver_id, toGathering(row)]))
}

/** Receivers whose messages are to be sent now and that nobody else sends to, locked. */
export const claimDueGatherings = async (
  tx: Transaction,
  nowMs: number,
  limit: number,
): Promise<DueGathering[]> => {
  const rows = await tx<GatheringRow[]>`
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
  tx: Transaction,
  receiverId: string,
): Promise<WaitingMessage[]> => {
  const rows = await tx<
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
  tx: Transaction,
  receiverId: string,
  { openedAtMs, sendAtMs, toldSinceMs, told }: Gathering,
): Promise<void> => {
  await tx`
    update alert_gatherings set opened_at = ${dateOf(openedAtMs)}, send_at = ${dateOf(sendAtMs)},
      told_since = ${new Date(toldSinceMs)}, told = ${told}
    where receiver_id = ${receiverId}`
}

export const writeStorm = async (
  tx: Transaction,
  receiverId: string,
  inStorm: boolean,
): Promise<void> => {
  await tx`
    update alert_gatherings set in_storm = ${inStorm} where receiver_id = ${receiverId}`
}

/** Forgets a receiver that is gone. */
export const deleteGathering = async (tx: Transaction, receiverId: string): Promise<void> => {
  await tx`delete from alert_gatherings where receiver_id = ${receiverId}`
}

/** Whether any alert of an account is told and not recovered. */
export const hasOpenAlerts = async (tx: Transaction, accountId: string): Promise<boolean> => {
  const [row] = await tx<{ open: boolean }[]>`
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
