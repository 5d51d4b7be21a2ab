import { insertReadings } from '../clickhouse/insert-readings.ts'
import { forgetBatch } from '../postgres/ingest-batches.ts'
import type { IngestBatch } from '../postgres/ingest-batches.ts'
import type { IngestContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { prepareBatch } from './prepare-batch.ts'
import { rowsOf } from './rows.ts'

/** Finishes a batch that was recorded before a crash: the same rows under the same token. */
export const repeatBatch = async (context: IngestContext, batch: IngestBatch): Promise<void> => {
  const parts = await Promise.all(
    batch.ranges.map(async ({ partition, first, last, count }) => {
      const messages = (await context.consumers.get(partition)?.replay(first, last)) ?? []
      return { complete: messages.length === count, messages }
    }),
  )
  if (parts.some((part) => !part.complete)) {
    // the stream was lost with its disk: the agents' spools still hold what was not stored
    context.metrics.unrepeatable.inc()
    context.log.error({ batch: batch.token, ranges: batch.ranges }, 'batch cannot be repeated')
    await context.retry('postgres', () => forgetBatch(context.sql, batch.token))
    return
  }
  const { decoded, facts } = await prepareBatch(
    context,
    parts.flatMap((part) => part.messages),
  )
  const rows = rowsOf(decoded, new Set(batch.dropped), facts)
  await context.retry('clickhouse', () => insertReadings(context.clickhouse, rows, batch.token))
  await finishBatch(context, batch, decoded, rows)
  context.log.info({ batch: batch.token, rows: rows.length }, 'batch repeated after a crash')
}
