import { endedDeliveryBounds, outboxBounds } from '@probe-mesh/contracts/reading/set-aside'
import type { Connection } from '../../stores/postgres/connect.ts'

/** Dropped rows, and the exceeded limit: the age, the share of the owner, or the limit of all. */
export type Dropped = { reason: 'age' | 'owner' | 'all'; count: number }

type Size = { rows: number; bytes: number }
export type PoisonBounds = { owner: Size; all: Size; ageMsMax: number }

/**
 * Deletes poison messages beyond their limits. Each owner keeps its newest. Beyond the limit of all owners, rows
 * of the owners with the most are deleted first.
 */
export const prunePoison = (
  db: Connection,
  nowMs: number,
  { owner, all, ageMsMax }: PoisonBounds,
): Promise<Dropped[]> => {
  return db<Dropped[]>`
    with sized as (
      select id, received_at, octet_length(payload) as bytes,
        row_number() over own as own_rows, sum(octet_length(payload)) over own as own_bytes
      from poison_messages
      window own as (partition by owner order by received_at desc, id desc)
    ), ranked as (
      select *, row_number() over everybody as all_rows, sum(bytes) over everybody as all_bytes
      from sized
      window everybody as (order by own_rows, received_at desc, id desc)
    ), judged as materialized (
      select id, case
        when received_at < ${new Date(nowMs - ageMsMax)} then 'age'
        when own_rows > ${owner.rows} or own_bytes > ${owner.bytes} then 'owner'
        when all_rows > ${all.rows} or all_bytes > ${all.bytes} then 'all'
      end as reason from ranked
    ), dropped as (
      delete from poison_messages p using judged
      where p.id = judged.id and judged.reason is not null returning judged.reason
    )
    select reason, count(*)::integer as count from dropped group by reason`
}

export const measurePoison = async (db: Connection): Promise<{ rows: number; bytes: number }> => {
  const [row] = await db<{ rows: number; bytes: string }[]>`
    select count(*)::integer as rows, coalesce(sum(octet_length(payload)), 0) as bytes
    from poison_messages`
  return { rows: row?.rows ?? 0, bytes: Number(row?.bytes ?? 0) }
}

/**
 * Deletes outbox rows that could not be delivered for too long, and the oldest undelivered rows of an account
 * beyond its limit. Of the delivered rows, which are kept for people, the oldest beyond the limit of all.
 */
export const boundOutbox = (db: Connection, nowMs: number): Promise<Dropped[]> => {
  const { ownerRows, allRows, ageMsMax } = outboxBounds
  return db<Dropped[]>`
    with undelivered as (
      select id, created_at, payload ->> 'accountId' as owner,
        row_number() over (partition by payload ->> 'accountId' order by sequence desc) as place
      from outbox where done_at is null
    ), delivered as (
      select id from outbox where done_at is not null order by sequence desc offset ${allRows}
    ), judged as materialized (
      select id, case
        when created_at < ${new Date(nowMs - ageMsMax)} then 'age'
        when owner is not null and place > ${ownerRows} then 'owner'
      end as reason from undelivered
      union all
      select id, 'all' from delivered
    ), dropped as (
      delete from outbox o using judged
      where o.id = judged.id and judged.reason is not null returning judged.reason
    )
    select reason, count(*)::integer as count from dropped group by reason`
}

/** Keeps the newest ended messages (delivered, failed permanently, not sent) of each account, and of all. */
export const boundEndedDeliveries = (
  db: Connection,
  { ownerRows, allRows }: { ownerRows: number; allRows: number } = endedDeliveryBounds,
): Promise<Dropped[]> => {
  return db<Dropped[]>`
    with placed as (
      select id, sequence, row_number() over (partition by account_id order by sequence desc) as own
      from deliveries where state <> 'pending'
    ), ranked as (
      select id, own, row_number() over (order by own, sequence desc) as place from placed
    ), judged as materialized (
      select id, case when own > ${ownerRows} then 'owner' when place > ${allRows} then 'all' end
        as reason from ranked
    ), dropped as (
      delete from deliveries d using judged
      where d.id = judged.id and judged.reason is not null returning judged.reason
    )
    select reason, count(*)::integer as count from dropped group by reason`
}
