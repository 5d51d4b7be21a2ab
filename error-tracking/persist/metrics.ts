import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { followedGauge } from '@probe-mesh/control-plane/src/stores/leases/tenancies'

export const persistMetrics = (
  registry: Registry,
  current: { now(): number; batchStarts: ReadonlyMap<number, number> },
) => {
  const registers = [registry]
  const oldestSeconds = new Gauge({
    name: 'error_oldest_uncounted_seconds',
    help: 'Age of the oldest message in the current batch, by partition; absent without a batch',
    labelNames: ['partition'] as const,
    registers,
    collect() {
      this.reset()
      for (const [partition, sinceMs] of current.batchStarts) {
        this.set({ partition }, Math.max(0, current.now() - sinceMs) / 1_000)
      }
    },
  })
  return {
    oldestSeconds,
    rejected: new Counter({
      name: 'error_store_refused_total',
      help: 'Error events and counts that a database rejected for their content, by database',
      labelNames: ['store'] as const,
      registers,
    }),
    events: new Counter({
      name: 'error_events_total',
      help: 'Error events processed, by outcome: stored, or the reason for the drop',
      labelNames: ['outcome'] as const,
      registers,
    }),
    replayed: new Counter({
      name: 'error_batches_repeated_total',
      help: 'Unfinished batches of error events taken over from a previous owner',
      registers,
    }),
    notReplayable: new Counter({
      name: 'error_batches_unrepeatable_total',
      help: 'Batches of error events that could not be replayed because the stream had lost their messages',
      registers,
    }),
    poisonDropped: new Counter({
      name: 'error_poison_dropped_total',
      help: 'Unreadable error event messages discarded because too many arrived',
      registers,
    }),
    poison: new Counter({
      name: 'error_poison_total',
      help: 'Unreadable messages on the error event stream; see poison_messages',
      registers,
    }),
    quotas: new Counter({
      name: 'error_quotas_reached_total',
      help: 'Times an account reached a threshold of its monthly error event quota, by percent',
      labelNames: ['percent'] as const,
      registers,
    }),
    repairs: new Counter({
      name: 'error_repairs_total',
      help: 'Times occurrences of a batch were missing after the insert and were inserted again',
      registers,
    }),
    frames: new Counter({
      name: 'error_frames_total',
      help: 'Minified frames of error events, by outcome: resolved by a source map (read), or the reason why not',
      labelNames: ['outcome'] as const,
      registers,
    }),
    brokenMaps: new Counter({
      name: 'error_source_maps_broken_total',
      help: 'Failed reads of a source map',
      registers,
    }),
    followed: followedGauge(registry, 'error_persist'),
    retries: new Counter({
      name: 'error_persist_retries_total',
      help: 'Times a batch of error events waited for Postgres, ClickHouse or NATS, by store',
      labelNames: ['store'] as const,
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'error_batch_seconds',
      help: 'Time to deduplicate, insert and count one batch of error events',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    }),
  }
}

export type PersistMetrics = ReturnType<typeof persistMetrics>
