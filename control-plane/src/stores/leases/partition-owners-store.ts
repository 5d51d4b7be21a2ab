import type { Connection } from '../postgres/connect.ts'
import { partitionLockClass, silentSeconds } from './leases-store.ts'

/** Who stores and judges a partition. */
export type PartitionOwner = {
  partition: number
  /** null where none does. */
  owner: string | null
  epoch: number
  takenAtMs: number | null
}

/**
 * The owners of all partitions, in order: whose session has the lock. One that says nothing is taken for
 * gone, though nobody may have taken its partitions yet.
 */
export const findPartitionOwners = async (sql: Connection): Promise<PartitionOwner[]> => {
  const rows = await sql<
    { partition: number; owner: string | null; epoch: string; taken_at: Date | null }[]
  >`
    select l.partition, l.epoch, a.id as owner, case when a.id is not null then l.taken_at end as taken_at
    from partition_leases l
      left join (
        select id, k.objid::int as partition
        from control_planes c join pg_locks k on k.pid = c.backend_pid
        where c.seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
          and k.locktype = 'advisory' and k.classid = ${partitionLockClass} and k.granted
          and k.database = (select oid from pg_database where datname = current_database())
      ) a on a.id = l.holder and a.partition = l.partition
    order by l.partition`
  return rows.map(({ partition, owner, epoch, taken_at: takenAt }) => ({
    partition,
    owner,
    epoch: Number(epoch),
    takenAtMs: takenAt?.getTime() ?? null,
  }))
}
