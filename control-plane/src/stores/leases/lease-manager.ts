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

type LeaseCapabilities = {
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
}

/**
 * Acquires this control plane's share of the partitions and keeps it while its session lives. The
 * advisory locks of that one session are the right to write. The renewal every second lets other control
 * planes end the session of a paused process, which notices at its next renewal (S-2813).
 */
export const startLeaseManager = (capabilities: LeaseCapabilities): LeaseManager => {
  const { session, id, registry, log, monotonic, paceMs = leasePaceMs } = capabilities
  const held = new Map<number, Lease>()
  const closing = new AbortController()
  const state: LeaseState = {
    ...capabilities,
    held,
    metrics: leaseMetrics(registry, held),
    closing: closing.signal,
    faults: faultsOf(log),
    renewal: { what: 'leases cannot be renewed' },
    acquisition: { what: 'leases cannot be acquired' },
    registered: false,
    term: 0,
    renewedAt: monotonic(),
    superseded: null,
  }
  const pace = { everyMs: paceMs, signal: closing.signal }
  const renewing = runLoop({
    ...pace,
    round: () => renew(state),
    onError: (error) => onRenewalFailure(state, error),
  })
  const taking = runLoop({
    ...pace,
    round: async () => {
      if (!state.registered) return
      await acquireShare(state)
      state.faults.worked(state.acquisition)
    },
    onError: (error) => report(state, state.acquisition, error),
  })

  return {
    held,
    superseded: () => state.superseded,
    close: async () => {
      closing.abort()
      await Promise.all([renewing, taking])
      for (const work of [state.renewal, state.acquisition]) state.faults.worked(work)
      await Promise.all([...held.values()].map((lease) => release(state, lease))).catch((error: unknown) => {
        log.warn({ err: error }, 'leases cannot be released; they end with the session')
      })
      if (state.registered) await deleteHolder(session, id).catch(() => undefined)
    },
  }
}

type LeaseState = LeaseCapabilities & {
  readonly held: Map<number, Lease>
  readonly metrics: ReturnType<typeof leaseMetrics>
  readonly closing: AbortSignal
  readonly faults: ReturnType<typeof faultsOf>
  readonly renewal: Work
  readonly acquisition: Work
  registered: boolean
  /** Changes whenever all leases are lost: an acquisition that began earlier must not finish. */
  term: number
  renewedAt: number
  superseded: string | null
}

const report = ({ closing, faults }: LeaseState, work: Work, error: unknown): void => {
  if (!closing.aborted) faults.failed(work, error)
}

const renew = async (state: LeaseState): Promise<void> => {
  const { session, id, log, monotonic } = state
  const at = monotonic()
  if (state.registered && at - state.renewedAt > unrenewedMsMax) loseAll(state)
  if (state.registered && !(await renewHolder(session, id))) loseAll(state)
  if (state.registered && !(await allStand(state))) loseAll(state)
  if (!state.registered) {
    await registerHolder(session, id, state.epoch, state.about)
    state.registered = true
    if (state.superseded !== null) log.info({}, 'this version may own partitions again')
    state.superseded = null
  }
  state.renewedAt = at
  state.faults.worked(state.renewal)
}

/** If another process took over one lease, its lock was not ours, and the other locks are in doubt too. */
const allStand = async ({ session, held }: LeaseState): Promise<boolean> => {
  const expected = [...held.values()]
  const standing = await validLeases(session, expected)
  return expected.every((lease) => standing.has(lease.partition) || held.get(lease.partition) !== lease)
}

/** When the session fails, its locks are or may be gone. */
const onRenewalFailure = (state: LeaseState, error: unknown): void => {
  loseAll(state)
  if (codeOf(error) !== tooOld) return report(state, state.renewal, error)
  // logged once: it stays so until this process is replaced
  if (state.superseded === null) state.log.error({ err: error }, 'a newer version took over the partitions')
  state.superseded = messageOf(error)
}

const loseAll = (state: LeaseState): void => {
  const { held, tenants, metrics, log } = state
  state.registered = false
  state.term += 1
  const lost = [...held.values()]
  held.clear()
  if (lost.length > 0) log.warn({ partitions: lost.length }, 'all leases are lost; starting over')
  metrics.changes.inc({ act: 'lost' }, lost.length)
  for (const lease of lost) for (const tenant of tenants) void tenant.leave(lease, 'lost')
}

/** If unlocking fails, no other process could acquire the lock: the next renewal starts with none. */
const orLoseAll = <T>(state: LeaseState, work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    loseAll(state)
    throw error
  })

const acquireShare = async (state: LeaseState): Promise<void> => {
  const { session, id, held, tenants, metrics, closing } = state
  const { term } = state
  metrics.ended.inc(await endSilentHolders(session))
  const holders = await liveHolders(session)
  metrics.holders.set(holders.length)
  const share = fairShare(partitions.length, holders.length)
  const surplus = [...held.values()].slice(0, Math.max(0, held.size - share))
  await Promise.all(surplus.map((lease) => release(state, lease)))
  for (const partition of acquisitionOrder(partitions, holders.indexOf(id), holders.length)) {
    if (held.size >= share || closing.aborted || term !== state.term) return
    if (held.has(partition)) continue
    const lease = await take(state, partition)
    if (lease === null) continue
    if (term !== state.term) {
      // all locks may have been released before or after this one was acquired: make sure it is free
      await orLoseAll(state, releaseLease(session, lease))
      return
    }
    held.set(partition, lease)
    metrics.changes.inc({ act: 'taken' })
    for (const tenant of tenants) tenant.take(lease)
  }
}

const take = (state: LeaseState, partition: number): Promise<Lease | null> =>
  acquireLease(state.session, partition, state.id).catch(async (error: unknown) => {
    await orLoseAll(state, unlockPartition(state.session, partition))
    throw error
  })

const release = async (state: LeaseState, lease: Lease): Promise<void> => {
  const { session, held, tenants, metrics } = state
  const left = new AbortController()
  const leaving = Promise.all(tenants.map((tenant) => tenant.leave(lease, 'released')))
  await Promise.race([leaving, pause(leaveMsMax, left.signal)]).finally(() => left.abort())
  if (held.get(lease.partition) !== lease) return
  held.delete(lease.partition)
  await orLoseAll(state, releaseLease(session, lease))
  metrics.changes.inc({ act: 'released' })
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
