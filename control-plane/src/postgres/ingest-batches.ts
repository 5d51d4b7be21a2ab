import type { Connection, Sql } from './connect.ts'

/** The `count` messages of one partition from `first` to `last`: sequences may have gaps. */
export type SequenceRange = { partition: number; first: number; last: number; count: number }

/** What must be repeated exactly, should we die between its insert and its acknowledgement. */
export type IngestBatch = {
  token: string
  createdAtMs: number
  ranges: SequenceRange[]
  /** Positions of rows left out, within the batch's readings in order. */
  dropped: number[]
}

/** A message or a reading that could not be read. */
export type Poison = {
  id: string
  partition: number
  sequence: number
  reason: string
  payload: Uint8Array
  receivedAtMs: number
}

/** Records a batch and the poison found in it, before anything of it is inserted. */
export const recordBatch = async (
  sql: Sql,
  batch: IngestBatch,
  poison: readonly Poison[],
): Promise<void> => {
  await sql.begin(async (tx) => {
    await tx`
      insert into ingest_batches (token, created_at, ranges, dropped)
      values (${batch.token}, ${new Date(batch.createdAtMs)}, ${tx.json(batch.ranges)}, ${batch.dropped})`
    for (const entry of poison) await recordPoison(tx, entry)
  })
}

export const recordPoison = async (sql: Connection, poison: Poison): Promise<void> => {
  await sql`
    insert into poison_messages (id, partition, sequence, reason, payload, received_at)
    values (${poison.id}, ${poison.partition}, ${poison.sequence}, ${poison.reason},
      ${Buffer.from(poison.payload)}, ${new Date(poison.receivedAtMs)})`
}

export const forgetBatch = async (sql: Connection, token: string): Promise<void> => {
  await sql`delete from ingest_batches where token = ${token}`
}

/** Batches that were recorded and not finished, oldest first. */
export const openBatches = async (sql: Connection): Promise<IngestBatch[]> => {
  const rows = await sql<
    { token: string; created_at: Date; ranges: SequenceRange[]; dropped: number[] }[]
  >`select token, created_at, ranges, dropped from ingest_batches order by created_at, token`
  return rows.map((row) => ({
    token: row.token,
    createdAtMs: row.created_at.getTime(),
    ranges: row.ranges,
    dropped: row.dropped,
  }))
}
