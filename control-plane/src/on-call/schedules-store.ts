import type { Layer, Override } from '@probe-mesh/contracts/on-call/schedule'
import type { Connection, Transaction } from '../stores/postgres/connect.ts'
import { epochMs } from '../stores/postgres/epoch-ms.ts'

/** A schedule as it is stored. */
export type ScheduleRecord = {
  id: string
  accountId: string
  name: string
  timeZone: string
  layers: Layer[]
  overrides: Override[]
  /** Names its calendar. */
  feedId: string
}

const columns = (db: Connection) => db`
  id, account_id as "accountId", name, time_zone as "timeZone", layers, overrides, feed_id as "feedId"`

/** The schedules of these accounts, by name. */
export const findSchedules = async (
  db: Connection,
  accountIds: readonly string[],
): Promise<ScheduleRecord[]> =>
  await db<ScheduleRecord[]>`
    select ${columns(db)} from on_call_schedules where account_id = any(${[...accountIds]}::uuid[])
    order by name, id`

/** The schedule of a calendar, with when it was created. */
export const findScheduleOfFeed = async (
  db: Connection,
  feedId: string,
): Promise<(ScheduleRecord & { createdAtMs: number }) | null> => {
  const [row] = await db<(ScheduleRecord & { createdAtMs: number })[]>`
    select ${columns(db)}, ${epochMs(db, 'created_at')} as "createdAtMs" from on_call_schedules where feed_id = ${feedId}`
  return row ?? null
}

/** The schedule, locked until the transaction ends. Another account's is null like a missing one. */
export const lockSchedule = async (
  tx: Transaction,
  accountId: string,
  id: string,
): Promise<ScheduleRecord | null> => {
  const [row] = await tx<ScheduleRecord[]>`
    select ${columns(tx)} from on_call_schedules where id = ${id} and account_id = ${accountId} for update`
  return row ?? null
}

/** Writes a schedule; its hand-over is looked at again at once. */
export const writeSchedule = async (
  tx: Transaction,
  { id, accountId, name, timeZone, layers, overrides, feedId }: ScheduleRecord,
  nowMs: number,
): Promise<void> => {
  const now = new Date(nowMs)
  await tx`
    insert into on_call_schedules (id, account_id, name, time_zone, layers, overrides, feed_id, next_look_at,
      created_at)
    values (${id}, ${accountId}, ${name}, ${timeZone}, ${tx.json(layers)}, ${tx.json(overrides)}, ${feedId},
      ${now}, ${now})
    on conflict (id) do update set name = excluded.name, time_zone = excluded.time_zone,
      layers = excluded.layers, overrides = excluded.overrides, feed_id = excluded.feed_id, next_look_at = excluded.next_look_at`
}

export const deleteSchedule = async (tx: Transaction, id: string): Promise<void> => {
  await tx`delete from on_call_schedules where id = ${id}`
}

/** The ids of an account's members and their names, as other members know them. */
export const findMemberNames = async (
  db: Connection,
  accountId: string,
): Promise<{ id: string; name: string; email: string; timeZone: string }[]> =>
  await db<{ id: string; name: string; email: string; timeZone: string }[]>`
    select id, coalesce(name, email) as name, email, time_zone as "timeZone" from users where account_id = ${accountId} order by 2, id`

/** A schedule whose hand-over is due to be looked at, with who was told last. */
export type DueHandOver = ScheduleRecord & { onCall: string | null }

/** The next schedule that may hand over, locked until the transaction ends. */
export const claimHandOver = async (tx: Transaction, nowMs: number): Promise<DueHandOver | null> => {
  const [row] = await tx<DueHandOver[]>`
    select ${columns(tx)}, on_call as "onCall" from on_call_schedules
    where next_look_at <= ${new Date(nowMs)}
    order by next_look_at limit 1 for update skip locked`
  return row ?? null
}

export const writeHandOver = async (
  tx: Transaction,
  { id, onCall, nextLookMs }: { id: string; onCall: string | null; nextLookMs: number },
): Promise<void> => {
  await tx`
    update on_call_schedules set on_call = ${onCall}, next_look_at = ${new Date(nextLookMs)} where id = ${id}`
}
