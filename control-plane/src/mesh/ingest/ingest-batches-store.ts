import type { Poison } from '../../readings/poison.ts'
import { recordPoison } from '../../readings/poison-store.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'
import { heldLeases, leaseRows, type Lease } from '../../stores/leases/leases-store.ts'

/** The `count` messages of one partition from `first` to `last`: sequences may have gaps. */
export type SequenceRange = { partition: number; first: number; last: number; count: number }

/** A batch that must be repeated exactly if its writer dies between insert and acknowledgement. */
export type IngestBatch = {
  token: string
  createdAtMs: number
  ranges: SequenceRange[]
  /** Positions of the rows left out, in the order of the batch's readings. */
  dropped: number[]
}

/**
 * Records a batch and its unreadable messages before any of its rows is inserted. If a lease of its
 * partitions is lost, nothing is written. Recording it again, after a lost answer, changes nothing.
 * @returns the partitions whose leases are lost
 */
export const recordBatch = async (
  sql: Sql,
  batch: IngestBatch,
  poison: readonly Poison[],
  leases: readonly Lease[],
): Promise<Set<number>> => {
  const rows = poison.map(({ payload, receivedAtMs, ...entry }) => ({
    ...entry,
    payload: Buffer.from(payload).toString('base64'),
    received_at: new Date(receivedAtMs).toISOString(),
  }))
  const lost = await sql<{ partition: number }[]>`
    with ${heldLeases(sql, leases)},
    lost as (
      select asked.partition from jsonb_to_recordset(${sql.json(leaseRows(leases))})
        as asked (partition smallint)
      where asked.partition not in (select partition from held)
        and not exists (select from ingest_batches where token = ${batch.token}::uuid)
    ),
    recorded as (
      insert into ingest_batches (token, created_at, ranges, dropped)
      select ${batch.token}::uuid, ${new Date(batch.createdAtMs)}::timestamptz,
        ${sql.json(batch.ranges)}::jsonb, ${batch.dropped}::integer[]
      where not exists (select from lost)
      on conflict (token) do nothing
    ),
    poisoned as (
      insert into poison_messages (id, partition, sequence, owner, reason, payload, received_at)
      select p.id, p.partition, p.sequence, p.owner, p.reason, decode(p.payload, 'base64'),
        p.received_at
      from jsonb_to_recordset(${sql.json(rows)}) as p (id uuid, partition smallint,
        sequence bigint, owner text, reason text, payload text, received_at timestamptz)
      where not exists (select from lost)
      on conflict (id) do nothing
    )
    select partition from lost`
  return new Set(lost.map((row) => row.partition))
}

const forgetBatch = async (db: Connection, token: string): Promise<void> => {
  await db`delete from ingest_batches where token = ${token}`
}

/** Recorded but unfinished batches, oldest first: all, or those with one of these partitions. */
export const openBatches = async (db: Connection, partitions?: readonly number[]): Promise<IngestBatch[]> =>
  await db<IngestBatch[]>`
    select token, ${epochMs(db, 'created_at')} as "createdAtMs", ranges, dropped from ingest_batches
    where ${partitions === undefined} or exists (
      select from jsonb_to_recordset(ranges) as r (partition smallint)
      where r.partition = any(${[...(partitions ?? [])]}::smallint[]))
    order by created_at, token`

/** What ingest keeps in Postgres. */
export const batchRecords = (sql: Sql) => ({
  record: recordBatch.bind(null, sql),
  forget: forgetBatch.bind(null, sql),
  open: openBatches.bind(null, sql),
  keepPoison: recordPoison.bind(null, sql),
})

export type BatchRecords = ReturnType<typeof batchRecords>
