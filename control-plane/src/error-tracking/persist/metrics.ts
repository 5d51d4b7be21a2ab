import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

/** What the persister of error events says of itself on `/metrics`. */
export const persistMetrics = (
  registry: Registry,
  oldest: { now(): number; underWay: ReadonlyMap<number, number> },
) => {
  const registers = [registry]
  const oldestSeconds = new Gauge({
    name: 'error_oldest_uncounted_seconds',
    help: 'How long ago the stream took the oldest message of the batch under way, by partition; absent where none is',
    labelNames: ['partition'] as const,
    registers,
    collect() {
      this.reset()
      for (const [partition, sinceMs] of oldest.underWay) {
        this.set({ partition }, Math.max(0, oldest.now() - sinceMs) / 1_000)
      }
    },
  })
  return {
    oldestSeconds,
    refused: new Counter({
      name: 'error_store_refused_total',
      help: 'Error events, and counts of them, that a store refused for what they are, by store',
      labelNames: ['store'] as const,
      registers,
    }),
    events: new Counter({
      name: 'error_events_total',
      help: 'Error events that are counted, by outcome: stored, or why they are not',
      labelNames: ['outcome'] as const,
      registers,
    }),
    repeated: new Counter({
      name: 'error_batches_repeated_total',
      help: 'Batches of error events that a former owner left unfinished',
      registers,
    }),
    unrepeatable: new Counter({
      name: 'error_batches_unrepeatable_total',
      help: 'Batches of error events whose messages the stream had lost when they had to be repeated',
      registers,
    }),
    poisonDropped: new Counter({
      name: 'error_poison_dropped_total',
      help: 'Messages of error events that could not be read and are not kept: too many came',
      registers,
    }),
    poison: new Counter({
      name: 'error_poison_total',
      help: 'Messages on the stream of error events that could not be read; see poison_messages',
      registers,
    }),
    quotas: new Counter({
      name: 'error_quotas_reached_total',
      help: 'Times an account reached a part of the error events of its month, by percent',
      labelNames: ['percent'] as const,
      registers,
    }),
    repairs: new Counter({
      name: 'error_repairs_total',
      help: 'Times occurrences of a batch were missing after their insert, and were inserted again',
      registers,
    }),
    frames: new Counter({
      name: 'error_frames_total',
      help: 'Frames of error events that name a built file, by what became of them: read by its source map, or why not',
      labelNames: ['outcome'] as const,
      registers,
    }),
    brokenMaps: new Counter({
      name: 'error_source_maps_broken_total',
      help: 'Times a source map was needed and could not be read',
      registers,
    }),
    followed: followedGauge(registry, 'error_persist'),
    retries: new Counter({
      name: 'error_persist_retries_total',
      help: 'Times a batch of error events had to wait for a store that was away, by store',
      labelNames: ['store'] as const,
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'error_batch_seconds',
      help: 'Time to decide about, insert and count one batch of error events',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    }),
  }
}

export type PersistMetrics = ReturnType<typeof persistMetrics>
