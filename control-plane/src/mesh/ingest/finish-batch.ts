import type { ReadingRow } from '../../readings/insert-readings.ts'
import type { IngestBatch } from './ingest-batches-store.ts'
import type { DecodedMessage } from '../../readings/decode.ts'
import type { IngestContext } from './context.ts'

/**
 * Finishes a stored batch: moves the agents' marks, deletes its record, acknowledges its messages, in that
 * order. Marks first, so that the next owner finds everything that is not recorded in the marks. The record
 * goes before the acknowledgement, so that a recorded batch still has all its messages. The next batch does
 * not wait for the stream's reply: the bus retries a lost one.
 */
export const finishBatch = async (
  context: IngestContext,
  batch: IngestBatch,
  decoded: readonly DecodedMessage[],
  rows: readonly ReadingRow[],
): Promise<void> => {
  await markStored(context, decoded)
  await context.retry('postgres', () => context.records.forget(batch.token))
  context.metrics.stored.inc(rows.length)
  for (const range of batch.ranges) {
    const acknowledged = context.holdings.get(range.partition)?.consumer.acknowledge(range.last)
    if (acknowledged !== undefined) context.settleLater(acknowledged)
  }
}

type Sender = NonNullable<DecodedMessage['sender']> & { partition: number }

/**
 * Moves the agents' marks: which of their batches are stored. A mark covers every batch before it, so it
 * moves only over consecutive batches. Where the stream has lost one, the mark stays, and the agent publishes
 * everything after the mark again.
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
  /** For partitions of other owners: one of the owners finishes a shared batch. */
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

/** The last mark of a former owner. */
const lastMark = (context: IngestContext, { region, agent, partition }: Sender): Promise<number | null> =>
  context.retry('bus', () => context.bus.persisted.get(region, agent, partition))
