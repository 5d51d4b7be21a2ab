import { heldLeases, type Lease } from '../../stores/leases/leases-store.ts'
import type { Connection, Sql } from '../../stores/postgres/connect.ts'
import { epochMs } from '../../stores/postgres/epoch-ms.ts'

/** Up to when a partition's messages were judged as they arrived, by the clock of the stream, Unix ms. */
export type JudgedUntil = { lease: Lease; untilMs: number }

/** Notes it for partitions whose leases are held. A table of its own: writers of readings lock those of leases. */
export const writeJudgedUntil = async (sql: Sql, judged: readonly JudgedUntil[]): Promise<void> => {
  const leases = judged.map(({ lease }) => lease)
  const rows = judged.map(({ lease, untilMs }) => ({
    partition: lease.partition,
    until: new Date(untilMs).toISOString(),
  }))
  await sql`
    with ${heldLeases(sql, leases)}
    insert into judged_partitions (partition, judged_until)
    select new.partition, new.until
    from jsonb_to_recordset(${sql.json(rows)}) as new (partition smallint, until timestamptz)
      join held on held.partition = new.partition
    on conflict (partition) do update
      set judged_until = greatest(judged_partitions.judged_until, excluded.judged_until)`
}

/** @returns 0 if it was never noted */
export const findJudgedUntil = async (db: Connection, partition: number): Promise<number> => {
  const [row] = await db<{ untilMs: number }[]>`
    select ${epochMs(db, 'judged_until')} as "untilMs" from judged_partitions where partition = ${partition}`
  return row?.untilMs ?? 0
}
