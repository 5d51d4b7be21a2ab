import { createMetrics } from '@probe-mesh/runtime/metrics'
import { Histogram, type Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

export const ingestMetrics = (registry: Registry) => {
  const metric = createMetrics(registry)
  return {
    stored: metric.counter('ingest_readings_stored_total', 'Readings stored in ClickHouse'),
    dropped: metric.counter(
      'ingest_readings_dropped_total',
      'Readings not stored, by reason: twin, deleted_check',
      'reason',
    ),
    poison: metric.counter(
      'ingest_poison_total',
      'Messages and readings that could not be read; see the table poison_messages',
    ),
    poisonDropped: metric.counter(
      'ingest_poison_dropped_total',
      'Messages and readings that could not be read and were not kept, because their sender had used its share',
    ),
    unrepeatable: metric.counter(
      'ingest_batches_unrepeatable_total',
      'Recorded batches that could not be repeated because the stream had lost their messages',
    ),
    holes: metric.counter(
      'ingest_stream_holes_total',
      'Messages whose predecessor the stream has lost; the agents publish everything after their mark again',
    ),
    fenced: metric.counter(
      'ingest_messages_fenced_total',
      'Messages left to the new owner of their partition, because the lease was lost before they were recorded',
    ),
    retries: metric.counter(
      'ingest_retries_total',
      'Retries of a batch because a store was unavailable, by store',
      'store',
    ),
    repairs: metric.counter(
      'ingest_repairs_total',
      'Repairs of a table after an interrupted insert, by table',
      'table',
    ),
    batchSeconds: new Histogram({
      name: 'ingest_batch_seconds',
      help: 'Time to record, insert and acknowledge one batch',
      buckets: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30],
      registers: [registry],
    }),
    followed: followedGauge(registry, 'ingest'),
    pending: metric.gauge('ingest_pending_messages', 'Messages fetched and not yet in a batch'),
  }
}

export type IngestMetrics = ReturnType<typeof ingestMetrics>
