import type { Connection, Sql } from '../postgres/connect.ts'
import { ownEpoch } from '../postgres/schema-epoch.ts'
import { epochMs } from '../postgres/epoch-ms.ts'

/**
 * The right to store and assess one partition. It lasts as long as its advisory lock, which ends with
 * its session. `epoch` fences writes, because a paused owner may not know that it lost the lock.
 */
export type Lease = {
  readonly partition: number
  readonly epoch: number
  /** Its former owner did not release it: it died, or was treated as dead. */
  readonly afterDeath?: boolean
}

/** The class of the partitions' advisory locks; any constant with no other use. */
export const partitionLockClass = 727_003

/** A control plane without a renewal for this long counts as dead, even if its session is open. */
export const silentSeconds = 5

/** The pid and start of the backend of this connection identify a session. */
const ownBackend = (db: Connection) => db`
  select pid, backend_start from pg_stat_activity where pid = pg_backend_pid()`

/** Where a control plane runs, and the settings that must be the same for all. */
export type ControlPlaneAbout = {
  readonly host: string
  readonly port: number
  readonly pid: number
  readonly version: string
  readonly regions: readonly string[]
}

/** A control plane that ended without a stop is remembered for this long, for the doctor. */
const rememberedHours = 24

/**
 * Registers a control plane with its current session, which then holds no lease. Deletes control planes whose
 * session has ended, if they were stopped, replaced on their host and port, or last seen a day ago.
 */
export const registerHolder = async (
  session: Sql,
  id: string,
  epoch = ownEpoch,
  about: ControlPlaneAbout | null = null,
): Promise<void> => {
  await session`select pg_advisory_unlock_all()`
  await session`
    delete from control_planes c where c.id <> ${id} and not exists (
      select from pg_stat_activity a where a.pid = c.backend_pid and a.backend_start = c.backend_start)
    and (c.about is null or c.seen_at < clock_timestamp() - make_interval(hours => ${rememberedHours})
      or (c.about ->> 'host' = ${about?.host ?? null} and c.about ->> 'port' = ${String(about?.port ?? '')}))`
  await session`
    insert into control_planes (id, backend_pid, backend_start, seen_at, epoch, about)
    select ${id}, own.pid, own.backend_start, clock_timestamp(), ${epoch},
      ${about === null ? null : session.json(about)} from (${ownBackend(session)}) own
    on conflict (id) do update set backend_pid = excluded.backend_pid,
      backend_start = excluded.backend_start, seen_at = excluded.seen_at`
}

/** A control plane that runs or ended without a stop. */
export type KnownControlPlane = { id: string; silentMs: number; about: ControlPlaneAbout | null }

/** Control planes that run, or that ended within a day without a stop. */
export const findControlPlanes = async (db: Connection): Promise<KnownControlPlane[]> => {
  const rows = await db<{ id: string; silent: number; about: ControlPlaneAbout | null }[]>`
    select id, about, (extract(epoch from clock_timestamp() - seen_at) * 1000)::float8 as silent
    from control_planes
    where seen_at > clock_timestamp() - make_interval(hours => ${rememberedHours}) order by id`
  return rows.map(({ id, silent, about }) => ({ id, silentMs: Math.max(0, silent), about }))
}

/** Renews a control plane. @returns whether this is still the session that owns its locks */
export const renewHolder = async (session: Sql, id: string): Promise<boolean> => {
  const rows = await session`
    update control_planes c set seen_at = clock_timestamp() from (${ownBackend(session)}) own
    where c.id = ${id} and c.backend_pid = own.pid and c.backend_start = own.backend_start`
  return rows.count === 1
}

/** Live control planes that may own partitions, in an order that is the same for all. */
export const liveHolders = async (session: Sql): Promise<string[]> => {
  const rows = await session<{ id: string }[]>`
    select c.id from control_planes c join pg_stat_activity a
      on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
      and not is_fenced(c.epoch)
    order by c.id`
  return rows.map((row) => row.id)
}

/**
 * Ends the sessions of control planes that stopped renewing (paused, or cut off from the network), which
 * releases their locks. @returns how many
 */
export const endSilentHolders = async (session: Sql): Promise<number> => {
  const rows = await session`
    select pg_terminate_backend(a.pid) from control_planes c join pg_stat_activity a
      on a.pid = c.backend_pid and a.backend_start = c.backend_start
    where c.seen_at < clock_timestamp() - make_interval(secs => ${silentSeconds})`
  return rows.count
}

/** Removes a control plane that stops. */
export const deleteHolder = async (session: Sql, id: string): Promise<void> => {
  await session`delete from control_planes where id = ${id}`
}

/**
 * Acquires a partition unless it has an owner. Waits for a running write of its former owner: after this
 * resolves, the former owner can write no more. If it throws, the lock may still be held.
 */
export const acquireLease = async (
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

/** The partitions among these leases that no other process has taken over. */
export const validLeases = async (session: Sql, leases: readonly Lease[]): Promise<Set<number>> => {
  if (leases.length === 0) return new Set()
  const rows = await session<{ partition: number }[]>`
    select l.partition from partition_leases l ${joinedOn(session, leases)}`
  return new Set(rows.map(({ partition }) => partition))
}

/** Releases a partition. */
export const releaseLease = async (session: Sql, { partition, epoch }: Lease): Promise<void> => {
  await session`
    update partition_leases set holder = null where partition = ${partition} and epoch = ${epoch}`
  await unlockPartition(session, partition)
}

/** Releases a partition's lock if the session holds it. */
export const unlockPartition = async (session: Sql, partition: number): Promise<void> => {
  await session`select pg_advisory_unlock(${partitionLockClass}, ${partition})`
}

/** Leases as one parameter of a statement. */
export const leaseRows = (leases: readonly Lease[]) =>
  leases.map(({ partition, epoch }) => ({ partition, epoch }))

/**
 * A common table expression `held (partition, epoch)`: the leases that are still valid, locked until the
 * statement ends, so that no other process takes one over before the write is complete. Every write of
 * an owner begins with it and joins on it.
 */
export const heldLeases = (db: Connection, leases: readonly Lease[]) => db`
  held as materialized (
    select l.partition, l.epoch from partition_leases l ${joinedOn(db, leases)}
    for share of l)`

const joinedOn = (db: Connection, leases: readonly Lease[]) => db`
  join jsonb_to_recordset(${db.json(leaseRows(leases))}) as expected (partition smallint, epoch bigint)
    on expected.partition = l.partition and expected.epoch = l.epoch`

/** The control plane that stores and assesses a partition. */
export type PartitionOwner = {
  partition: number
  /** null if it has no owner. */
  owner: string | null
  epoch: number
  takenAtMs: number | null
}

/**
 * The owners of all partitions, in order: the control planes whose sessions hold the locks. One that stopped
 * renewing is treated as gone, even while its partitions have no new owner yet.
 */
export const findPartitionOwners = async (db: Connection): Promise<PartitionOwner[]> => {
  return await db<PartitionOwner[]>`
    select l.partition, l.epoch::float8 as epoch, a.id as owner,
      ${epochMs(db, db`case when a.id is not null then l.taken_at end`)} as "takenAtMs"
    from partition_leases l
      left join (
        select id, k.objid::int as partition
        from control_planes c join pg_locks k on k.pid = c.backend_pid
        where c.seen_at > clock_timestamp() - make_interval(secs => ${silentSeconds})
          and k.locktype = 'advisory' and k.classid = ${partitionLockClass} and k.granted
          and k.database = (select oid from pg_database where datname = current_database())
      ) a on a.id = l.holder and a.partition = l.partition
    order by l.partition`
}
