import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { StreamMessage } from '@probe-mesh/bus/port'
import { isRejectedByClickHouse } from '../clickhouse/connect.ts'
import { insertReadings } from '../clickhouse/insert-readings.ts'
import { newestStoredSlots } from '../clickhouse/newest-slots.ts'
import { storedReadingIds } from '../clickhouse/stored-ids.ts'
import { forgetBatch, recordBatch, recordPoison } from '../postgres/ingest-batches.ts'
import type { IngestBatch } from '../postgres/ingest-batches.ts'
import type { IngestContext } from './context.ts'
import { finishBatch } from './finish-batch.ts'
import { prepareBatch } from './prepare-batch.ts'
import type { PreparedBatch } from './prepare-batch.ts'
import { poisonOf, rangesOf, rowsOf, toPoison } from './rows.ts'
import { twinPositions } from './stored-slots.ts'

/**
 * Stores a batch exactly once: decides which rows are left out, records that with the batch's
 * sequence ranges, inserts under the batch's token, and only then lets the stream and the agents'
 * spools go. Killed anywhere in between, `repeatBatch` finishes it with the same rows. Batches are
 * stored one after another: what is a twin depends on what is stored.
 */
export const storeBatch = async (
  context: IngestContext,
  prepared: PreparedBatch,
): Promise<void> => {
  const { sql, clickhouse, metrics, now } = context
  const { messages, decoded, readings, facts } = prepared
  const twins = await context.retry('clickhouse', () =>
    twinPositions(readings, context.slots, {
      findNewest: (doubtful) => newestStoredSlots(clickhouse, doubtful),
      findStored: (doubtful) => storedReadingIds(clickhouse, doubtful),
    }),
  )
  const dead = readings.flatMap(({ checkId }, at) =>
    facts.has(checkId) || twins.has(at) ? [] : [at],
  )
  const dropped = new Set([...twins, ...dead])
  const batch: IngestBatch = {
    token: uuidv7(now()),
    createdAtMs: now(),
    ranges: rangesOf(messages),
    dropped: [...dropped].toSorted((a, b) => a - b),
  }
  const poison = poisonOf(decoded, now())
  await context.retry('postgres', () => recordBatch(sql, batch, poison))
  const rows = rowsOf(decoded, dropped, facts)
  try {
    await context.retry('clickhouse', () => insertReadings(clickhouse, rows, batch.token))
  } catch (error) {
    if (!isRejectedByClickHouse(error)) throw error
    await context.retry('postgres', () => forgetBatch(sql, batch.token))
    await divideRejected(context, messages, error)
    return
  }
  metrics.poison.inc(poison.length)
  metrics.dropped.inc({ reason: 'twin' }, twins.size)
  metrics.dropped.inc({ reason: 'deleted_check' }, dead.length)
  await finishBatch(context, batch, decoded, rows)
  context.onStored(rows, facts)
}

/** The store refused a batch whole: halves find the message it cannot take, which becomes poison. */
const divideRejected = async (
  context: IngestContext,
  messages: readonly StreamMessage[],
  error: unknown,
): Promise<void> => {
  const only = messages[0]
  if (messages.length > 1 || only === undefined) {
    const middle = Math.ceil(messages.length / 2)
    for (const half of [messages.slice(0, middle), messages.slice(middle)]) {
      await storeBatch(context, await prepareBatch(context, half))
    }
    return
  }
  const reason = `refused by the store: ${error instanceof Error ? error.message : String(error)}`
  const poison = toPoison(only, reason, only.data, context.now())
  await context.retry('postgres', () => recordPoison(context.sql, poison))
  context.metrics.poison.inc()
  context.log.error(
    { partition: only.partition, sequence: only.sequence, reason },
    'poison message',
  )
  await context.consumers.get(only.partition)?.acknowledge(only.sequence)
}
