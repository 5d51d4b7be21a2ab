import { uuidv7 } from '@probe-mesh/contracts/ids'
import type { Reading } from '@probe-mesh/contracts/reading'
import type { Bus, ReadingsConsumer, StreamMessage } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { isRejectedByClickHouse } from '../clickhouse/connect.ts'
import { insertReadings } from '../clickhouse/insert-readings.ts'
import type { ReadingRow } from '../clickhouse/insert-readings.ts'
import { storedReadingIds } from '../clickhouse/stored-ids.ts'
import { forgetBatch, recordBatch, recordPoison } from '../postgres/ingest-batches.ts'
import type { IngestBatch, Poison, SequenceRange } from '../postgres/ingest-batches.ts'
import type { Sql } from '../postgres/connect.ts'
import { decodeMessage } from '../readings/decode.ts'
import type { DecodedMessage } from '../readings/decode.ts'
import type { CheckFacts, Directory } from './directory.ts'
import type { IngestMetrics } from './metrics.ts'
import { twinPositions } from './stored-slots.ts'
import type { StoredSlots } from './stored-slots.ts'

export type IngestContext = {
  sql: Sql
  clickhouse: ClickHouse
  bus: Bus
  directory: Directory
  slots: StoredSlots
  consumers: ReadonlyMap<number, ReadingsConsumer>
  metrics: IngestMetrics
  log: Logger
  now: () => number
  /** Repeats while a store is away; gives up only when the loop is closing. */
  retry<T>(store: string, attempt: () => Promise<T>): Promise<T>
  /** Told of what has just been stored. */
  onStored(rows: readonly ReadingRow[], facts: ReadonlyMap<string, CheckFacts>): void
}

/**
 * Stores a batch of messages exactly once: decides which rows are left out, records that with the
 * batch's sequence ranges, inserts under the batch's token, and only then lets the stream and the
 * agents' spools go. Killed anywhere in between, `repeatBatch` finishes it with the same rows.
 */
export const writeBatch = async (
  context: IngestContext,
  messages: readonly StreamMessage[],
): Promise<void> => {
  const { sql, clickhouse, metrics, now } = context
  const decoded = messages.map(decodeMessage)
  const readings = decoded.flatMap((message) => message.readings)
  const facts = await context.retry('postgres', () =>
    context.directory.find(readings.map((reading) => reading.checkId)),
  )
  const twins = await context.retry('clickhouse', () =>
    twinPositions(readings, context.slots, (doubtful) => storedReadingIds(clickhouse, doubtful)),
  )
  const dead = new Set(
    readings.flatMap((reading, position) => (facts.has(reading.checkId) ? [] : [position])),
  )
  const batch: IngestBatch = {
    token: uuidv7(now()),
    createdAtMs: now(),
    ranges: rangesOf(messages),
    dropped: [...new Set([...twins, ...dead])].toSorted((a, b) => a - b),
  }
  const poison = decoded.flatMap((message) => poisonOf(message, now()))
  await context.retry('postgres', () => recordBatch(sql, batch, poison))
  const rows = rowsOf(decoded, batch, facts)
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
  metrics.dropped.inc({ reason: 'deleted_check' }, [...dead].filter((at) => !twins.has(at)).length)
  await finishBatch(context, batch, decoded, rows)
  context.onStored(rows, facts)
}

/** Finishes a batch that was recorded before a crash, with the same rows under the same token. */
export const repeatBatch = async (context: IngestContext, batch: IngestBatch): Promise<void> => {
  const parts = await Promise.all(
    batch.ranges.map(async ({ partition, first, last }) => {
      const messages = await context.consumers.get(partition)?.replay(first, last)
      return { complete: messages?.length === last - first + 1, messages: messages ?? [] }
    }),
  )
  if (parts.some((part) => !part.complete)) {
    // the stream was lost with its disk: the agents' spools still hold what was not stored
    context.metrics.unrepeatable.inc()
    context.log.error({ batch: batch.token, ranges: batch.ranges }, 'batch cannot be repeated')
    await context.retry('postgres', () => forgetBatch(context.sql, batch.token))
    return
  }
  const decoded = parts.flatMap((part) => part.messages).map(decodeMessage)
  const checkIds = decoded.flatMap((message) => message.readings.map((reading) => reading.checkId))
  const facts = await context.retry('postgres', () => context.directory.find(checkIds))
  const rows = rowsOf(decoded, batch, facts)
  await context.retry('clickhouse', () => insertReadings(context.clickhouse, rows, batch.token))
  await finishBatch(context, batch, decoded, rows)
  context.log.info({ batch: batch.token, rows: rows.length }, 'batch repeated after a crash')
}

/** Forgetting comes before acknowledging: a batch that is still recorded has all its messages. */
const finishBatch = async (
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
  const marks = new Map<
    string,
    { region: string; agent: string; partition: number; batch: number }
  >()
  for (const { sender, source } of decoded) {
    if (sender === null) continue
    const key = `${sender.region}:${sender.agent}:${source.partition}`
    const highest = Math.max(sender.batch, marks.get(key)?.batch ?? 0)
    marks.set(key, { ...sender, partition: source.partition, batch: highest })
  }
  await Promise.all(
    [...marks.values()].map((mark) =>
      context.bus.persisted.mark(mark.region, mark.agent, mark.partition, mark.batch),
    ),
  )
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
    await writeBatch(context, messages.slice(0, middle))
    await writeBatch(context, messages.slice(middle))
    return
  }
  const reason = `refused by the store: ${error instanceof Error ? error.message : String(error)}`
  const poison = toPoison(only, reason.slice(0, 500), only.data, context.now())
  await context.retry('postgres', () => recordPoison(context.sql, poison))
  context.metrics.poison.inc()
  context.log.error(
    { partition: only.partition, sequence: only.sequence, reason },
    'poison message',
  )
  await context.consumers.get(only.partition)?.acknowledge(only.sequence)
}

/** Contiguous ranges per partition: messages come in order from each. */
export const rangesOf = (messages: readonly StreamMessage[]): SequenceRange[] => {
  const ranges = new Map<number, SequenceRange>()
  for (const { partition, sequence } of messages) {
    const range = ranges.get(partition)
    if (range === undefined) ranges.set(partition, { partition, first: sequence, last: sequence })
    else range.last = sequence
  }
  return [...ranges.values()]
}

const rowsOf = (
  decoded: readonly DecodedMessage[],
  batch: IngestBatch,
  facts: ReadonlyMap<string, CheckFacts>,
): ReadingRow[] => {
  const dropped = new Set(batch.dropped)
  const rows: ReadingRow[] = []
  let position = 0
  for (const { readings, sender, source } of decoded) {
    for (const reading of readings) {
      const keep = !dropped.has(position)
      position += 1
      if (!keep) continue
      rows.push(toRow(reading, sender?.agent ?? '', source.storedAt, facts.get(reading.checkId)))
    }
  }
  return rows
}

/** A check deleted between the record and its repeat keeps its rows for a day, until the purge. */
const toRow = (
  reading: Reading,
  agent: string,
  receivedAtMs: number,
  facts: CheckFacts | undefined,
): ReadingRow => ({
  reading,
  agent,
  receivedAtMs,
  rawDays: facts?.rawDays ?? 1,
  hourDays: facts?.hourDays ?? 1,
})

const poisonPayloadBytesMax = 64 * 1024

const toPoison = (
  source: StreamMessage,
  reason: string,
  payload: Uint8Array,
  nowMs: number,
): Poison => ({
  id: uuidv7(nowMs),
  partition: source.partition,
  sequence: source.sequence,
  reason,
  payload: payload.subarray(0, poisonPayloadBytesMax),
  receivedAtMs: source.storedAt,
})

const poisonOf = ({ source, poison }: DecodedMessage, nowMs: number): Poison[] =>
  poison.map(({ reason, payload }) => toPoison(source, reason.slice(0, 500), payload, nowMs))
