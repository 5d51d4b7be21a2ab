import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import type { Lease } from './leases-store.ts'

/** What the keeper of leases says of itself on `/metrics`. */
export const leaseMetrics = (registry: Registry, held: ReadonlyMap<number, Lease>) => {
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

export type LeaseMetrics = ReturnType<typeof leaseMetrics>
