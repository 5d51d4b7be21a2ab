import { pause } from '@probe-mesh/bus/pause'
import { partitions } from '@probe-mesh/contracts/mesh/partition'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import {
  endSilentHolders,
  forgetHolder,
  livingHolders,
  registerHolder,
  releaseLease,
  renewHolder,
  silentSeconds,
  standingLeases,
  takeLease,
  unlockPartition,
} from './leases-store.ts'
import type { Lease } from './leases-store.ts'
import { errorCode } from '../postgres/connect.ts'
import type { Sql } from '../postgres/connect.ts'
import { tooOld } from '../postgres/schema-epoch.ts'
import { Counter, Gauge } from 'prom-client'

/** A living control plane says so at this pace, and looks for partitions at the same. */
const paceMs = 1_000
/** Without a word through for so long, others will have ended this session: the leases are lost. */
const wordlessMsMax = silentSeconds * 1_000 - paceMs
/** What a partition that is given away may take to be left in order; then it is fenced instead. */
const leaveMsMax = 5_000

/** Who works on the partitions that this process holds. */
type Tenant = {
  take(lease: Lease): void
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
}

export type LeaseKeeper = {
  readonly held: ReadonlyMap<number, Lease>
  /** Why this version may have no partition any more; null: it may. */
  superseded(): string | null
  /** Gives everything back. */
  close(): Promise<void>
}

/**
 * Takes this control plane's share of the partitions and keeps it while its session lives. The
 * advisory locks of that one session are the right; saying so every second lets others end the
 * session of a process that is paused. A process that was ended finds out at its next word (S-2813).
 */
export const startLeaseKeeper = (capabilities: {
  /** One connection of its own, never more: the locks are the session's. */
  session: Sql
  /** Of this process's life. */
  id: string
  tenants: readonly Tenant[]
  registry: Registry
  log: Logger
  /** Milliseconds that never go back. */
  monotonic: () => number
  /** Stands for this version's, in tests. */
  epoch?: number
}): LeaseKeeper => {
  const { session, id, tenants, log, monotonic } = capabilities
  const held = new Map<number, Lease>()
  const metrics = leaseMetrics(capabilities.registry, held)
  const closing = new AbortController()
  let registered = false
  /** Another number whenever all was lost: what was begun before then is no longer ours to finish. */
  let term = 0
  let heardAt = monotonic()
  let superseded: string | null = null

  const loseAll = (): void => {
    registered = false
    term += 1
    const lost = [...held.values()]
    held.clear()
    if (lost.length > 0) log.warn({ partitions: lost.length }, 'all leases are lost')
    metrics.changes.inc({ act: 'lost' }, lost.length)
    for (const lease of lost) for (const tenant of tenants) void tenant.leave(lease, 'lost')
  }
  /** Where one was taken over its lock was not ours, and who knows whose the others are. */
  const allStand = async (): Promise<boolean> => {
    const believed = [...held.values()]
    const standing = await standingLeases(session, believed)
    return believed.every(
      (lease) => standing.has(lease.partition) || held.get(lease.partition) !== lease,
    )
  }
  const speak = async (): Promise<void> => {
    const at = monotonic()
    if (registered && at - heardAt > wordlessMsMax) loseAll()
    if (registered && !(await renewHolder(session, id))) loseAll()
    if (registered && !(await allStand())) loseAll()
    if (!registered) {
      await registerHolder(session, id, capabilities.epoch)
      registered = true
      if (superseded !== null) log.info({}, 'this version may have partitions again')
      superseded = null
    }
    heardAt = at
  }
  /** A failure of the session means that its locks are gone, or may be. */
  const onUnspoken = (error: unknown): void => {
    loseAll()
    if (errorCode(error) !== tooOld) return sayFailure(error)
    // said once: it stays so until this process is replaced
    if (superseded === null) log.error({ err: error }, 'a newer version took over')
    superseded = error instanceof Error ? error.message : String(error)
  }
  const sayFailure = (error: unknown): void => {
    if (!closing.signal.aborted) log.warn({ err: error }, 'leases cannot be kept now')
  }
  /** Where letting go of a lock fails nobody else could take it: the next word begins with none. */
  const orLoseAll = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      loseAll()
      throw error
    })
  const release = async (lease: Lease): Promise<void> => {
    const left = new AbortController()
    const leaving = Promise.all(tenants.map((tenant) => tenant.leave(lease, 'released')))
    await Promise.race([leaving, pause(leaveMsMax, left.signal)]).finally(() => left.abort())
    if (held.get(lease.partition) !== lease) return
    held.delete(lease.partition)
    await orLoseAll(releaseLease(session, lease))
    metrics.changes.inc({ act: 'released' })
  }
  const take = (partition: number): Promise<Lease | null> =>
    takeLease(session, partition, id).catch(async (error: unknown) => {
      await orLoseAll(unlockPartition(session, partition))
      throw error
    })
  const takeShare = async (): Promise<void> => {
    const begun = term
    metrics.ended.inc(await endSilentHolders(session))
    const holders = await livingHolders(session)
    metrics.holders.set(holders.length)
    const share = fairShare(partitions.length, holders.length)
    const surplus = [...held.values()].slice(0, Math.max(0, held.size - share))
    await Promise.all(surplus.map(release))
    for (const partition of takingOrder(partitions, holders.indexOf(id), holders.length)) {
      if (held.size >= share || closing.signal.aborted || term !== begun) return
      if (held.has(partition)) continue
      const lease = await take(partition)
      if (lease === null) continue
      if (term !== begun) {
        // all locks were let go meanwhile, this one before or after it was taken: nobody has it now
        await orLoseAll(releaseLease(session, lease))
        return
      }
      held.set(partition, lease)
      metrics.changes.inc({ act: 'taken' })
      for (const tenant of tenants) tenant.take(lease)
    }
  }

  const keepPace = async (
    act: () => Promise<void>,
    onFailure: (error: unknown) => void,
  ): Promise<void> => {
    while (!closing.signal.aborted) {
      await act().catch(onFailure)
      await pause(paceMs, closing.signal)
    }
  }
  const speaking = keepPace(speak, onUnspoken)
  const taking = keepPace(async () => {
    if (registered) await takeShare()
  }, sayFailure)

  return {
    held,
    superseded: () => superseded,
    close: async () => {
      closing.abort()
      await Promise.all([speaking, taking])
      await Promise.all([...held.values()].map(release)).catch((error: unknown) => {
        log.warn({ err: error }, 'leases end with their session')
      })
      if (registered) await forgetHolder(session, id).catch(() => undefined)
    },
  }
}

/**
 * How many of `count` partitions each of `holders` control planes may have: together all, and none
 * more than its share rounded up.
 */
export const fairShare = (count: number, holders: number): number =>
  Math.ceil(count / Math.max(1, holders))

/**
 * In which order a control plane tries to take partitions: each begins elsewhere, so that those that
 * start together do not ask for the same ones.
 * @param rank its place among the living ones, from 0
 */
export const takingOrder = (
  partitions: readonly number[],
  rank: number,
  holders: number,
): number[] => {
  const from = rank * fairShare(partitions.length, holders)
  return partitions.map((_, index) => partitions[(from + index) % partitions.length] ?? 0)
}

/** What the keeper of leases says of itself on `/metrics`. */
const leaseMetrics = (registry: Registry, held: ReadonlyMap<number, Lease>) => {
  const registers = [registry]
  return {
    held: new Gauge({
      name: 'lease_partitions_held',
      help: 'Partitions that this control plane stores and judges',
      registers,
      collect() {
        this.set(held.size)
      },
    }),
    epoch: new Gauge({
      name: 'lease_epoch',
      help: 'Epoch of each lease held: how often its partition changed hands',
      labelNames: ['partition'] as const,
      registers,
      collect() {
        this.reset()
        for (const { partition, epoch } of held.values()) this.set({ partition }, epoch)
      },
    }),
    holders: new Gauge({
      name: 'lease_control_planes',
      help: 'Control planes that share the partitions, as this one sees them',
      registers,
    }),
    changes: new Counter({
      name: 'lease_changes_total',
      help: 'Leases taken, released to others, and lost with the session, by act',
      labelNames: ['act'] as const,
      registers,
    }),
    ended: new Counter({
      name: 'lease_silent_sessions_ended_total',
      help: 'Sessions of control planes ended because they held leases and said nothing',
      registers,
    }),
  }
}
