import type { ReadingRow } from '../../readings/insert-readings.ts'
import { forgetBatch } from './ingest-batches-store.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext } from './context.ts'

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

type Sender = NonNullable<DecodedMessage['sender']> & { partition: number }

/**
 * Tells agents what is stored of theirs. A mark covers every batch before it, so it moves only over
 * batches that follow one another: where one is missing, which the stream has lost, the mark stays,
 * and the agent, marked no further, publishes all that is not marked again.
 */
export const markStored = async (
  context: IngestContext,
  decoded: readonly DecodedMessage[],
): Promise<void> => {
  const moved = new Map<string, { sender: Sender; mark: number }>()
  const marksOf = (partition: number): Map<string, number> => {
    const known = context.holdings.get(partition)?.marks ?? elsewhere.get(partition) ?? new Map()
    elsewhere.set(partition, known)
    return known
  }
  /** Of partitions that somebody else holds: a batch of several owners is finished by one of them. */
  const elsewhere = new Map<number, Map<string, number>>()

  for (const { sender, source } of decoded) {
    if (sender === null) continue
    const { partition } = source
    const marks = marksOf(partition)
    const key = `${sender.region}:${sender.agent}`
    const mark = marks.get(key) ?? (await lastMark(context, { ...sender, partition }))
    if (sender.after !== null && mark !== null && sender.after > mark) {
      context.metrics.holes.inc()
      context.log.warn({ ...sender, partition, mark }, 'the stream lost a message of an agent')
      continue
    }
    const next = Math.max(sender.batch, mark ?? 0)
    marks.set(key, next)
    moved.set(`${key}:${partition}`, { sender: { ...sender, partition }, mark: next })
  }
  await Promise.all(
    [...moved.values()].map(({ sender: { region, agent, partition }, mark }) =>
      context.retry('bus', () => context.bus.persisted.mark(region, agent, partition, mark)),
    ),
  )
}

/** What an owner before this one marked last. */
const lastMark = (
  context: IngestContext,
  { region, agent, partition }: Sender,
): Promise<number | null> =>
  context.retry('bus', () => context.bus.persisted.get(region, agent, partition))
