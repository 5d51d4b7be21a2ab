import { limits } from '@probe-mesh/contracts/limits'
import type { Bus, ReadingsConsumer, StreamMessage } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../clickhouse/connect.ts'
import { openBatches } from '../postgres/ingest-batches.ts'
import type { Sql } from '../postgres/connect.ts'
import type { IngestContext } from './context.ts'
import type { Directory } from './directory.ts'
import { ingestMetrics } from './metrics.ts'
import { Closing, pause, retryWhileAway } from '../retry.ts'
import { createStoredSlots } from './stored-slots.ts'
import { prepareBatch } from './prepare-batch.ts'
import { repeatBatch } from './repeat-batch.ts'
import { storeBatch } from './store-batch.ts'
import type { PreparedBatch } from './prepare-batch.ts'

/** A batch is sealed at this age, count or size, whichever comes first. */
const batchAgeMsMax = 400
const batchMessagesMax = 1_000
const batchBytesMax = 8 * 1024 * 1024
/** What may wait while a batch is being written; beyond, the stream keeps it. */
const pendingBytesMax = 2 * batchBytesMax
const fetchWaitMs = 5_000
const fetchMessagesMax = 200

export type Ingester = { close(): Promise<void> }

/**
 * Carries readings from the stream to ClickHouse: one feed a partition, one writer for all, so
 * that a batch is as large as the load allows. First finishes what a crash left open.
 */
export const startIngester = async (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  bus: Bus
  directory: Directory
  partitions: readonly number[]
  registry: Registry
  log: Logger
  now: () => number
  onStored: IngestContext['onStored']
}): Promise<Ingester> => {
  const { bus, log, now } = capabilities
  const metrics = ingestMetrics(capabilities.registry)
  const closing = new AbortController()
  const consumers = new Map<number, ReadingsConsumer>()
  for (const partition of capabilities.partitions) {
    consumers.set(partition, await bus.readings.consume(partition, 'ingest'))
  }
  const context: IngestContext = {
    ...capabilities,
    metrics,
    consumers,
    slots: createStoredSlots(),
    retry: (store, attempt) =>
      retryWhileAway(attempt, {
        signal: closing.signal,
        onWait: (error, waitMs) => {
          metrics.retries.inc({ store })
          log.warn({ err: error, store, waitMs }, 'ingest waits for a store')
        },
      }),
  }
  for (const batch of await context.retry('postgres', () => openBatches(capabilities.sql))) {
    await repeatBatch(context, batch)
  }
  const pending = createPending(metrics.pending.set.bind(metrics.pending))
  const feeds = [...consumers.values()].map((consumer) =>
    feed(consumer, pending, closing.signal, { log, now }),
  )
  const writer = write(context, pending, closing.signal, now)
  return {
    close: async () => {
      closing.abort()
      pending.wake()
      await Promise.all([...feeds, writer])
      await Promise.all([...consumers.values()].map((consumer) => consumer.close()))
    },
  }
}

/** Messages between the feeds and the writer, bounded by bytes. */
const createPending = (onLength: (length: number) => void) => {
  let messages: StreamMessage[] = []
  let bytes = 0
  let oldestAt = 0
  let waiters: (() => void)[] = []
  const wake = (): void => {
    const woken = waiters
    waiters = []
    for (const waiter of woken) waiter()
  }
  return {
    wake,
    /** Resolves at the next change. */
    changed: () => new Promise<void>((resolve) => waiters.push(resolve)),
    isFull: () => bytes >= pendingBytesMax,
    isSealed: () => bytes >= batchBytesMax || messages.length >= batchMessagesMax,
    oldestAt: () => (messages.length === 0 ? null : oldestAt),
    add: (added: StreamMessage[], nowMs: number) => {
      if (messages.length === 0) oldestAt = nowMs
      messages.push(...added)
      bytes += added.reduce((sum, message) => sum + message.data.length, 0)
      onLength(messages.length)
      wake()
    },
    /** A batch's worth, in order of partition and sequence. */
    take: (): StreamMessage[] => {
      let count = 0
      let takenBytes = 0
      while (count < messages.length && count < batchMessagesMax && takenBytes < batchBytesMax) {
        takenBytes += messages[count]?.data.length ?? 0
        count += 1
      }
      const taken = messages.slice(0, count)
      messages = messages.slice(count)
      bytes -= takenBytes
      onLength(messages.length)
      wake()
      return taken.toSorted((a, b) => a.partition - b.partition || a.sequence - b.sequence)
    },
  }
}

type Pending = ReturnType<typeof createPending>

const feed = async (
  consumer: ReadingsConsumer,
  pending: Pending,
  signal: AbortSignal,
  { log, now }: { log: Logger; now: () => number },
): Promise<void> => {
  while (!signal.aborted) {
    if (pending.isFull()) {
      await pending.changed()
      continue
    }
    try {
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: limits.readingsMessageBytesMax * 4,
        waitMs: fetchWaitMs,
        signal,
      })
      if (messages.length > 0) pending.add(messages, now())
    } catch (error) {
      log.warn({ err: error }, 'ingest cannot fetch; trying again')
      await pause(1_000, signal)
    }
  }
}

/** Stores batch after batch; while one is being stored, the next is prepared. */
const write = async (
  context: IngestContext,
  pending: Pending,
  signal: AbortSignal,
  now: () => number,
): Promise<void> => {
  let storing: Promise<void> = Promise.resolve()
  let failure: unknown = null
  try {
    while (!signal.aborted) {
      if (failure !== null) throw failure
      const oldestAt = pending.oldestAt()
      if (oldestAt === null) {
        await pending.changed()
        continue
      }
      const waitMs = oldestAt + batchAgeMsMax - now()
      if (!pending.isSealed() && waitMs > 0) {
        await Promise.race([pause(waitMs, signal), pending.changed()])
        continue
      }
      const prepared = await prepareBatch(context, pending.take())
      await storing
      storing = storeTimed(context, prepared)
      storing.catch((error: unknown) => {
        failure = error
        pending.wake()
      })
    }
    await storing
  } catch (error) {
    if (!(error instanceof Closing)) throw error
    await storing.catch(() => {})
  }
}

const storeTimed = async (context: IngestContext, prepared: PreparedBatch): Promise<void> => {
  const finished = context.metrics.batchSeconds.startTimer()
  await storeBatch(context, prepared)
  finished()
}
