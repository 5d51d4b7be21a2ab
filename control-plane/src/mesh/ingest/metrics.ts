import { Counter, Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { followedGauge } from '../../stores/leases/tenancies.ts'

/** What ingest says of itself on `/metrics`. */
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
      help: 'Messages and readings that could not be read; see poison_messages',
      registers,
    }),
    poisonDropped: new Counter({
      name: 'ingest_poison_dropped_total',
      help: 'Messages and readings that could not be read and are not kept: their sender had its share',
      registers,
    }),
    unrepeatable: new Counter({
      name: 'ingest_batches_unrepeatable_total',
      help: 'Recorded batches whose messages were gone when they had to be repeated',
      registers,
    }),
    holes: new Counter({
      name: 'ingest_stream_holes_total',
      help: 'Messages whose predecessor the stream has lost: their agents publish again what is not marked',
      registers,
    }),
    fenced: new Counter({
      name: 'ingest_messages_fenced_total',
      help: 'Messages left to the new owner of their partition, which was lost before they were recorded',
      registers,
    }),
    retries: new Counter({
      name: 'ingest_retries_total',
      help: 'Times a batch had to wait for a store that was away, by store',
      labelNames: ['store'] as const,
      registers,
    }),
    repairs: new Counter({
      name: 'ingest_repairs_total',
      help: 'Times a table was repaired after the insert of a batch was interrupted, by table',
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
