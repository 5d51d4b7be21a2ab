import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

/** Metrics of ingest. */
export const ingestMetrics = (registry: Registry) => {
  const registers = [registry]
  return {
    stored: new Counter({
      name: 'ingest_readings_stored_total',
      help: 'Readings stored in ClickHouse',
      registers,
    }),
    dropped: new Counter({
      name: 'ingest_readings_dropped_total',
      help: 'Readings not stored, by reason: twin, deleted_check',
      labelNames: ['reason'] as const,
      registers,
    }),
    poison: new Counter({
      name: 'ingest_poison_total',
      help: 'Messages and readings that could not be read; see the table poison_messages',
      registers,
    }),
    poisonDropped: new Counter({
      name: 'ingest_poison_dropped_total',
      help: 'Messages and readings that could not be read and were not kept, because their sender had used its share',
      registers,
    }),
    unrepeatable: new Counter({
      name: 'ingest_batches_unrepeatable_total',
      help: 'Recorded batches that could not be repeated because the stream had lost their messages',
      registers,
    }),
    holes: new Counter({
      name: 'ingest_stream_holes_total',
      help: 'Messages whose predecessor the stream has lost; the agents publish everything after their mark again',
      registers,
    }),
    fenced: new Counter({
      name: 'ingest_messages_fenced_total',
      help: 'Messages left to the new owner of their partition, because the lease was lost before they were recorded',
      registers,
    }),
    retries: new Counter({
      name: 'ingest_retries_total',
      help: 'Retries of a batch because a store was unavailable, by store',
      labelNames: ['store'] as const,
      registers,
    }),
    repairs: new Counter({
      name: 'ingest_repairs_total',
      help: 'Repairs of a table after an interrupted insert, by table',
      labelNames: ['table'] as const,
      registers,
    }),
    batchSeconds: new Histogram({
      name: 'ingest_batch_seconds',
      help: 'Time to record, insert and acknowledge one batch',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers,
    }),
    followed: followedGauge(registry, 'ingest'),
    pending: new Gauge({
      name: 'ingest_pending_messages',
      help: 'Messages fetched and not yet in a batch',
      registers,
    }),
  }
}

export type IngestMetrics = ReturnType<typeof ingestMetrics>
