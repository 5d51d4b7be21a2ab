import { codeOf, messageOf } from '@probe-mesh/runtime/errors'
import { createMetrics } from '@probe-mesh/runtime/metrics'
import { runLoop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import { Gauge, type Registry } from 'prom-client'
import {
  endSilentHolders,
  deleteHolder,
  liveHolders,
  registerHolder,
  releaseLease,
  renewHolder,
  silentSeconds,
  validLeases,
  acquireLease,
  unlockPartition,
  type ControlPlaneAbout,
  type Lease,
} from './leases-store.ts'
import { faultsOf, type Work } from '../faults.ts'
import type { Sql } from '../postgres/connect.ts'
import { tooOld } from '../postgres/schema-epoch.ts'

/** A control plane renews its session and looks for partitions at this pace. */
const leasePaceMs = 1_000
/** After this long without a renewal, others have ended this session: the leases are lost. */
const unrenewedMsMax = silentSeconds * 1_000 - leasePaceMs
/** The time to leave a released partition in order. After that its writes are fenced instead. */
const leaveMsMax = 5_000

/** A loop that works on the partitions of this process. */
export type Tenant = {
  take(lease: Lease): void
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
}

export type LeaseManager = {
  readonly held: ReadonlyMap<number, Lease>
  /** Why this version may no longer own partitions; null: it may. */
  superseded(): string | null
  /** Releases all leases. */
  close(): Promise<void>
}

/**
 * Acquires this control plane's share of the partitions and keeps it while its session lives. The
 * advisory locks of that one session are the right to write. The renewal every second lets other control
 * planes end the session of a paused process, which notices at its next renewal (S-2813).
 */
export const startLeaseManager = (capabilities: {
  /** Exactly one dedicated connection: the locks belong to the session. */
  session: Sql
  /** Identifies this run of the process. */
  id: string
  /** For the doctor; absent: it is not remembered after its end. */
  about?: ControlPlaneAbout
  tenants: readonly Tenant[]
  registry: Registry
  log: Logger
  /** A monotonic clock, ms. */
  monotonic: () => number
  /** Replaces the epoch of this version in tests. */
  epoch?: number
  /** Shorter in tests, ms. */
  paceMs?: number
}): LeaseManager => {
  const { session, id, tenants, log, monotonic, paceMs = leasePaceMs } = capabilities
  const held = new Map<number, Lease>()
  const metrics = leaseMetrics(capabilities.registry, held)
  const closing = new AbortController()
  let registered = false
  /** Changes whenever all leases are lost: an acquisition that began earlier must not finish. */
  let term = 0
  let renewedAt = monotonic()
  let superseded: string | null = null

  const loseAll = (): void => {
    registered = false
    term += 1
    const lost = [...held.values()]
    held.clear()
    if (lost.length > 0) log.warn({ partitions: lost.length }, 'all leases are lost; starting over')
    metrics.changes.inc({ act: 'lost' }, lost.length)
    for (const lease of lost) for (const tenant of tenants) void tenant.leave(lease, 'lost')
  }
  /** If another process took over one lease, its lock was not ours, and the other locks are in doubt too. */
  const allStand = async (): Promise<boolean> => {
    const expected = [...held.values()]
    const standing = await validLeases(session, expected)
    return expected.every((lease) => standing.has(lease.partition) || held.get(lease.partition) !== lease)
  }
  const renew = async (): Promise<void> => {
    const at = monotonic()
    if (registered && at - renewedAt > unrenewedMsMax) loseAll()
    if (registered && !(await renewHolder(session, id))) loseAll()
    if (registered && !(await allStand())) loseAll()
    if (!registered) {
      await registerHolder(session, id, capabilities.epoch, capabilities.about)
      registered = true
      if (superseded !== null) log.info({}, 'this version may own partitions again')
      superseded = null
    }
    renewedAt = at
    faults.worked(renewal)
  }
  /** When the session fails, its locks are or may be gone. */
  const onRenewalFailure = (error: unknown): void => {
    loseAll()
    if (codeOf(error) !== tooOld) return report(renewal, error)
    // logged once: it stays so until this process is replaced
    if (superseded === null) log.error({ err: error }, 'a newer version took over the partitions')
    superseded = messageOf(error)
  }
  const faults = faultsOf(log)
  const renewal = { what: 'leases cannot be renewed' }
  const acquisition = { what: 'leases cannot be acquired' }
  const report = (work: Work, error: unknown): void => {
    if (!closing.signal.aborted) faults.failed(work, error)
  }
  /** If unlocking fails, no other process could acquire the lock: the next renewal starts with none. */
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
    acquireLease(session, partition, id).catch(async (error: unknown) => {
      await orLoseAll(unlockPartition(session, partition))
      throw error
    })
  const acquireShare = async (): Promise<void> => {
    const begun = term
    metrics.ended.inc(await endSilentHolders(session))
    const holders = await liveHolders(session)
    metrics.holders.set(holders.length)
    const share = fairShare(partitions.length, holders.length)
    const surplus = [...held.values()].slice(0, Math.max(0, held.size - share))
    await Promise.all(surplus.map(release))
    for (const partition of acquisitionOrder(partitions, holders.indexOf(id), holders.length)) {
      if (held.size >= share || closing.signal.aborted || term !== begun) return
      if (held.has(partition)) continue
      const lease = await take(partition)
      if (lease === null) continue
      if (term !== begun) {
        // all locks may have been released before or after this one was acquired: make sure it is free
        await orLoseAll(releaseLease(session, lease))
        return
      }
      held.set(partition, lease)
      metrics.changes.inc({ act: 'taken' })
      for (const tenant of tenants) tenant.take(lease)
    }
  }

  const pace = { everyMs: paceMs, signal: closing.signal }
  const renewing = runLoop({ ...pace, round: renew, onError: onRenewalFailure })
  const taking = runLoop({
    ...pace,
    round: async () => {
      if (!registered) return
      await acquireShare()
      faults.worked(acquisition)
    },
    onError: (error) => report(acquisition, error),
  })

  return {
    held,
    superseded: () => superseded,
    close: async () => {
      closing.abort()
      await Promise.all([renewing, taking])
      for (const work of [renewal, acquisition]) faults.worked(work)
      await Promise.all([...held.values()].map(release)).catch((error: unknown) => {
        log.warn({ err: error }, 'leases cannot be released; they end with the session')
      })
      if (registered) await deleteHolder(session, id).catch(() => undefined)
    },
  }
}

/**
 * The largest number of `count` partitions that each of `holders` control planes may own: an equal share,
 * rounded up, so that together they own all.
 */
export const fairShare = (count: number, holders: number): number => Math.ceil(count / Math.max(1, holders))

/**
 * The order in which a control plane tries to acquire partitions. Each starts at a different offset, so that
 * control planes that start together do not compete for the same partitions.
 * @param rank its position among the live control planes, from 0
 */
export const acquisitionOrder = (partitions: readonly number[], rank: number, holders: number): number[] => {
  const from = rank * fairShare(partitions.length, holders)
  return partitions.map((_, index) => partitions[(from + index) % partitions.length] ?? 0)
}

const leaseMetrics = (registry: Registry, held: ReadonlyMap<number, Lease>) => {
  const metric = createMetrics(registry)
  return {
    held: metric.readGauge(
      'lease_partitions_held',
      'Partitions that this control plane owns: it stores and assesses their readings',
      () => held.size,
    ),
    epoch: new Gauge({
      name: 'lease_epoch',
      help: 'Epoch of each lease held: the number of times its partition changed owner',
      labelNames: ['partition'] as const,
      registers: [registry],
      collect() {
        this.reset()
        for (const { partition, epoch } of held.values()) this.set({ partition }, epoch)
      },
    }),
    holders: metric.gauge(
      'lease_control_planes',
      'Control planes that share the partitions, as this one sees them',
    ),
    changes: metric.counter(
      'lease_changes_total',
      'Leases acquired, released to other control planes, or lost with the session, by act: taken, released, lost',
      'act',
    ),
    ended: metric.counter(
      'lease_silent_sessions_ended_total',
      'Database sessions of other control planes ended because they held leases and stopped renewing them',
    ),
  }
}
