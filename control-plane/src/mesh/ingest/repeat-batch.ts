import { isRejectedByClickHouse } from '../../stores/clickhouse/connect.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import type { IngestContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { gather, rowsOf } from './prepare-batch.ts'
import { settleReadings } from './settle-readings.ts'

/** Finishes the open batches of former owners of these partitions. */
export const repeatBatches = async (context: IngestContext, partitions: readonly number[]): Promise<void> => {
  for (const batch of await context.retry('postgres', () => context.records.open(partitions))) {
    await repeatBatch(context, batch)
  }
}

/**
 * Finishes a recorded batch whose writer is, or may be, gone: settles the same rows under the same token.
 * Several processes may do so at once, with its writer too; the batch counts once.
 */
const repeatBatch = async (context: IngestContext, batch: IngestBatch): Promise<void> => {
  const parts = await Promise.all(
    batch.ranges.map(async ({ partition, first, last, count }) => {
      const messages = await context.retry('bus', () => context.bus.readings.replay(partition, first, last))
      return { complete: messages.length === count, messages }
    }),
  )
  if (parts.some((part) => !part.complete)) {
    // the stream lost messages: the agents' spools still have everything that was not stored
    context.metrics.unrepeatable.inc()
    context.log.error(
      { batch: batch.token, ranges: batch.ranges },
      'a batch cannot be repeated: the stream lost messages of it',
    )
    await context.retry('postgres', () => context.records.forget(batch.token))
    return
  }
  const decoded = parts.flatMap((part) => part.messages.map(context.decode))
  const { readings, facts } = await gather(context, decoded)
  const dropped = new Set(batch.dropped)
  const rows = rowsOf(decoded, dropped, facts)
  try {
    await context.retry('clickhouse', () => settleReadings(context, rows, batch.token))
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    // its messages are not acknowledged: they come again, and the faulty one is found then
    await context.retry('postgres', () => context.records.forget(batch.token))
    return
  }
  const dead = readings.filter(({ checkId }, at) => !dropped.has(at) && !facts.has(checkId))
  context.metrics.dropped.inc({ reason: 'deleted_check' }, dead.length)
  await finishBatch(context, batch, decoded, rows)
  context.log.info({ batch: batch.token, rows: rows.length }, 'repeated a batch of a former owner')
}
