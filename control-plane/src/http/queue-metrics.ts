import type { FairPool } from '@probe-mesh/runtime/fair-pool'
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'

/** A queue with a bound: what waits in it, and what it did not take since the start. */
export type Queue = { readonly waiting: number; readonly refused: number }

/** What waits on the HTTP side for a few places, on `/metrics`, by the queue's name. */
export const queueMetrics = (
  registry: Registry,
  queues: Readonly<Record<string, () => Queue>>,
): void => {
  const registers = [registry]
  const waiting: Gauge<'queue'> = new Gauge({
    name: 'http_queue_waiting',
    help: 'What waits in a bounded queue: pings to be written, passwords to be hashed of strangers and of known visitors',
    labelNames: ['queue'],
    registers,
    collect: () => {
      for (const [queue, of] of Object.entries(queues)) waiting.set({ queue }, of().waiting)
    },
  })
  const refused: Counter<'queue'> = new Counter({
    name: 'http_queue_refused_total',
    help: 'What a full queue did not take: its sender was told to try again',
    labelNames: ['queue'],
    registers,
    collect: () => {
      refused.reset()
      for (const [queue, of] of Object.entries(queues)) refused.inc({ queue }, of().refused)
    },
  })
}

/** A fair pool as a queue. */
export const queueOf = ({ waiting, counts }: FairPool): Queue => ({
  waiting,
  refused: counts.full + counts.displaced + counts.timeout,
})
