import type { ReadingRow } from '../clickhouse/insert-readings.ts'
import { forgetBatch } from '../postgres/ingest-batches.ts'
import type { IngestBatch } from '../postgres/ingest-batches.ts'
import type { DecodedMessage } from '../readings/decode.ts'
import type { IngestContext } from './context.ts'

type Mark = { region: string; agent: string; partition: number; batch: number }

/**
 * A batch is stored: lets go of its record, the stream and the spools, in that order. A batch that
 * is still recorded has all its messages, since forgetting comes before acknowledging.
 */
export const finishBatch = async (
  context: IngestContext,
  batch: IngestBatch,
  decoded: readonly DecodedMessage[],
  rows: readonly ReadingRow[],
): Promise<void> => {
  await context.retry('postgres', () => forgetBatch(context.sql, batch.token))
  for (const row of rows) context.slots.remember(row.reading)
  context.metrics.stored.inc(rows.length)
  await Promise.all(
    batch.ranges.map((range) => context.consumers.get(range.partition)?.acknowledge(range.last)),
  )
  await Promise.all(
    highestBatches(decoded).map(({ region, agent, partition, batch }) =>
      context.retry('bus', () => context.bus.persisted.mark(region, agent, partition, batch)),
    ),
  )
}

/** The highest batch of each agent and partition: marks are cumulative. */
const highestBatches = (decoded: readonly DecodedMessage[]): Mark[] => {
  const marks = new Map<string, Mark>()
  for (const { sender, source } of decoded) {
    if (sender === null) continue
    const key = `${sender.region}:${sender.agent}:${source.partition}`
    const batch = Math.max(sender.batch, marks.get(key)?.batch ?? 0)
    marks.set(key, { ...sender, partition: source.partition, batch })
  }
  return [...marks.values()]
}
