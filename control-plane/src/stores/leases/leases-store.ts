import type { Connection, Sql } from '../postgres/connect.ts'
import { ownEpoch } from '../postgres/schema-epoch.ts'

/**
 * The right to store and judge one partition. It lasts as long as its advisory lock, which falls
 * with its session; `epoch` is what writes are fenced by, since a paused holder may not know.
 */
export type Lease = {
  readonly partition: number
  readonly epoch: number
  /** Its former holder did not give it back: it died, or was taken for dead. */
  readonly afterDeath?: boolean
}

/** The class of the partitions' advisory locks; any constant that nobody else uses. */
export const partitionLockClass = 727_003

/** A control plane that says nothing for this long is taken for gone, though its session lives. */
export const silentSeconds = 5

/** The pid and start of the backend that serves this connection: the name of a session. */
const ownBackend = (sql: Connection) => sql`
  select pid, backend_start from pg_stat_activity where pid = pg_backend_pid()`

/**
 * Makes a control plane known with its present session, which then holds no lease, and forgets those
 * whose session is gone.
 */
export const registerHolder = async (session: Sql, id: string, epoch = ownEpoch): Promise<void> => {
  await session`select pg_advisory_unlock_all()`
  await session`
    delete from control_planes c where c.id <> ${id} and not exists (
      select from pg_stat_activity a where a.pid = c.backend_pid and a.backend_start = c.backend_start)`
  await session`
    insert into control_planes (id, backend_pid, backend_start, seen_at, epoch)
    select ${id}, own.pid, own.backend_start, clock_timestamp(), ${epoch} from (${ownBackend(session)}) own
    on conflict (id) do update set backend_pid = excluded.backend_pid,
      backend_start = excluded.backend_start, seen_at = excluded.seen_at`
}

/** Says that a control plane lives. @returns whether its session is still the one its locks are of */
export const renewHolder = async (session: Sql, id: string): Promise<boolean> => {
  const rows = await session`
    update control_planes c set seen_at = clock_timestamp() from (${ownBackend(session)}) own
    where c.id = ${id} and c.backend_pid = own.pid and c.backend_start = own.backend_start`
  return rows.count === 1
}

/** Control planes that may have partitions and say that they live, in an order that all agree on. */
export const livingHolders = async (session: Sql): Promise<string[]> => {
  const rows = await session<{ id: string }[]>`
    select c.id from control_planes c join pg_stat_activity a
      on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
      and not is_fenced(c.epoch)
    order by c.id`
  return rows.map((row) => row.id)
}

/** Partitions that living control planes of an epoch or a later one have. */
export const countWorked = async (sql: Connection, epoch: number): Promise<number> => {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::integer as count from partition_leases l
      join control_planes c on c.id = l.holder
      join pg_stat_activity a on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.epoch >= ${epoch}`
  return row?.count ?? 0
}

/**
 * Ends the sessions of control planes that live and say nothing (paused, cut off without a word):
 * their locks fall. @returns how many
 */
export const endSilentHolders = async (session: Sql): Promise<number> => {
  const rows = await session`
    select pg_terminate_backend(a.pid) from control_planes c join pg_stat_activity a
      on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.seen_at < clock_timestamp() - make_interval(secs => ${silentSeconds})`
  return rows.count
}

/** Withdraws a control plane that stops. */
export const forgetHolder = async (session: Sql, id: string): Promise<void> => {
  await session`delete from control_planes where id = ${id}`
}

/**
 * Takes a partition unless somebody has it. Waits for a write of its former holder that is under
 * way: after this resolves none of them can come any more. Where it throws, the lock may be left behind.
 */
export const takeLease = async (
  session: Sql,
  partition: number,
  holder: string,
): Promise<Lease | null> => {
  const [row] = await session<{ locked: boolean }[]>`
    select pg_try_advisory_lock(${partitionLockClass}, ${partition}) as locked`
  if (row?.locked !== true) return null
  const [taken] = await session<{ epoch: string; after_death: boolean }[]>`
    with former as (
      select holder from partition_leases where partition = ${partition} for update
    )
    update partition_leases
    set epoch = epoch + 1, holder = ${holder}, taken_at = clock_timestamp()
    from former where partition = ${partition}
    returning epoch, former.holder is not null as after_death`
  if (taken === undefined) throw new Error(`there is no partition ${partition}`)
  return { partition, epoch: Number(taken.epoch), afterDeath: taken.after_death }
}

/** Partitions of those leases that nobody has taken over. */
export const standingLeases = async (
  session: Sql,
  leases: readonly Lease[],
): Promise<Set<number>> => {
  if (leases.length === 0) return new Set()
  const rows = await session<{ partition: number }[]>`
    select l.partition from partition_leases l ${joinedOn(session, leases)}`
  return new Set(rows.map(({ partition }) => partition))
}

/** Gives a partition back. */
export const releaseLease = async (session: Sql, { partition, epoch }: Lease): Promise<void> => {
  await session`
    update partition_leases set holder = null where partition = ${partition} and epoch = ${epoch}`
  await unlockPartition(session, partition)
}

/** Lets go of a partition's lock, where the session has it. */
export const unlockPartition = async (session: Sql, partition: number): Promise<void> => {
  await session`select pg_advisory_unlock(${partitionLockClass}, ${partition})`
}

/** Leases as one parameter of a statement. */
export const leaseRows = (leases: readonly Lease[]) =>
  leases.map(({ partition, epoch }) => ({ partition, epoch }))

/**
 * A common table expression `held (partition, epoch)`: which of these leases stand, locked until the
 * statement ends, so that nobody takes one of them over before its write is whole. Every write of
 * an owner begins with it and joins on it.
 */
export const heldLeases = (sql: Connection, leases: readonly Lease[]) => sql`
  held as materialized (
    select l.partition, l.epoch from partition_leases l ${joinedOn(sql, leases)}
    for share of l)`

const joinedOn = (sql: Connection, leases: readonly Lease[]) => sql`
  join jsonb_to_recordset(${sql.json(leaseRows(leases))}) as asked (partition smallint, epoch bigint)
    on asked.partition = l.partition and asked.epoch = l.epoch`

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
