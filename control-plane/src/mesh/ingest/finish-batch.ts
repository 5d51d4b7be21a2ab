import type { ReadingRow } from '../../readings/insert-readings.ts'
import { forgetBatch } from './ingest-batches-store.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext } from './context.ts'
import { markStored } from './mark-stored.ts'

/**
 * A batch is stored: tells the agents, forgets its record, lets go of the stream, in that order.
 * Marked first, so that the next owner finds in the marks everything that is not recorded; forgotten
 * before it is acknowledged, so that a batch that is still recorded has all its messages. Nobody waits
 * for the stream's reply: one that is lost is asked for again by the bus, and the next batch goes on.
 */
export const finishBatch = async (
  context: IngestContext,
  batch: IngestBatch,
  decoded: readonly DecodedMessage[],
  rows: readonly ReadingRow[],
): Promise<void> => {
  await markStored(context, decoded)
  await context.retry('postgres', () => forgetBatch(context.sql, batch.token))
  context.metrics.stored.inc(rows.length)
  for (const range of batch.ranges) {
    const acknowledged = context.holdings.get(range.partition)?.consumer.acknowledge(range.last)
    if (acknowledged !== undefined) context.settleLater(acknowledged)
  }
}
