import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import { Counter, Gauge, type Registry } from 'prom-client'

/** A bounded queue: its length, and the number of entries refused since the start. */
type Queue = { readonly waiting: number; readonly refused: number }

/** Metrics of the queues of the HTTP server, by name. */
export const queueMetrics = (registry: Registry, queues: Readonly<Record<string, () => Queue>>): void => {
  const registers = [registry]
  const waiting: Gauge<'queue'> = new Gauge({
    name: 'http_queue_waiting',
    help: 'Entries that wait in a bounded queue, by queue: pings, passwords (of unknown visitors), passwords_known, new_passwords',
    labelNames: ['queue'],
    registers,
    collect: () => {
      for (const [queue, of] of Object.entries(queues)) waiting.set({ queue }, of().waiting)
    },
  })
  const refused: Counter<'queue'> = new Counter({
    name: 'http_queue_refused_total',
    help: 'Entries that a full queue refused, by queue; the client was asked to retry',
    labelNames: ['queue'],
    registers,
    collect: () => {
      refused.reset()
      for (const [queue, of] of Object.entries(queues)) refused.inc({ queue }, of().refused)
    },
  })
}

/** The queue of a fair pool. */
export const queueOf = ({ waiting, counts }: FairPool): Queue => ({
  waiting,
  refused: counts.full + counts.displaced + counts.timeout,
})
