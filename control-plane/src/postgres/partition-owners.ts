import type { Connection } from './connect.ts'
import { silentSeconds } from './leases.ts'

/** Who stores and judges a partition. */
export type PartitionOwner = {
  partition: number
  /** null where none does. */
  owner: string | null
  epoch: number
  takenAtMs: number | null
}

/**
 * The owners of all partitions, in order. One that says nothing is taken for gone, though nobody may
 * have taken its partitions yet.
 */
export const findPartitionOwners = async (sql: Connection): Promise<PartitionOwner[]> => {
  const rows = await sql<
    { partition: number; owner: string | null; epoch: string; taken_at: Date | null }[]
  >`
    select l.partition, l.epoch, a.id as owner, case when a.id is not null then l.taken_at end as taken_at
    from partition_leases l
      left join (
        select id from control_planes
        where seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
      ) a on a.id = l.holder
    order by l.partition`
  return rows.map(({ partition, owner, epoch, taken_at: takenAt }) => ({
    partition,
    owner,
    epoch: Number(epoch),
    takenAtMs: takenAt?.getTime() ?? null,
  }))
}
