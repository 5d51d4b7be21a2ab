import type { LoopContext } from '../../stores/loop-context.ts'
import { runLoop } from '@probe-mesh/runtime/loop'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Bus } from '@probe-mesh/bus/port'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { batchRecords } from './ingest-batches-store.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { faultsOf } from '../../stores/faults.ts'
import { retryWhileRefused, type AskedStore } from '../../stores/retry.ts'
import {
  readCarefully,
  createReadingsReader,
  type CarefulReading,
  type FirstReader,
} from '../../readings/first-read/first-reader.ts'
import type { Decode } from '../../readings/decode-once.ts'
import { countedPoisonShare } from '../../readings/poison-share.ts'
import { createSetAside, type SetAside } from '../../readings/poison.ts'
import { serially } from '@probe-mesh/runtime/serially'
import { createTenancies } from '../../stores/leases/tenancies.ts'
import type { IngestContext, Holding } from './context.ts'
import type { FactsOfChecks } from './check-facts.ts'
import { ingestMetrics } from './metrics.ts'
import { createOwnFaults } from './own-faults.ts'
import { createPending } from './pending.ts'
import { readingTables } from './reading-tables.ts'
import { repeatBatches } from './repeat-batch.ts'
import { createStoredSlots } from './stored-slots.ts'
import { startWriter } from './writer.ts'

const fetchWaitMs = 5_000
const fetchMessagesMax = 200
const fetchBytesMax = limits.readingsMessageBytesMax * 4
const failurePauseMs = 1_000

export type Ingester = {
  /** The partitions it owns now. */
  readonly holdings: ReadonlyMap<number, Holding>
  /** Starts a partition: finishes the open batches of its former owner, then stores new messages. */
  take(lease: Lease): void
  /** Stops a partition. A `released` one is left once no running batch has messages of it. */
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
  close(): Promise<void>
}

/**
 * Moves readings from the stream to ClickHouse: one feed for each owned partition and one writer for all, so
 * that a batch is as large as the load allows (S-708).
 */
export const startIngester = (
  capabilities: LoopContext & {
    clickhouse: ClickHouse
    bus: Bus
    factsOfChecks: FactsOfChecks
    decode: Decode
    /** Messages that this process must not read; absent: it keeps its own list. */
    setAside?: SetAside
    firstReader?: FirstReader
    /** How long messages wait for others of their batch. */
    batchAgeMs?: number
    onStored: IngestContext['onStored']
  },
): Ingester => {
  const { sql, clickhouse, bus, log, now, setAside = createSetAside() } = capabilities
  const { firstReader = createReadingsReader() } = capabilities
  const metrics = ingestMetrics(capabilities.registry)
  const closing = new AbortController()
  const holdings = new Map<number, Holding>()
  const unsettled = new Set<Promise<void>>()
  const context: IngestContext = {
    ...capabilities,
    records: batchRecords(sql),
    tables: readingTables(clickhouse),
    metrics,
    poison: countedPoisonShare({ now, metrics }),
    holdings,
    ownFaults: createOwnFaults(),
    settleLater: (work) => {
      // what is not acknowledged comes again, and is recognised
      const settled = work
        .catch((error: unknown) => log.warn({ err: error }, 'stored readings cannot be acknowledged'))
        .finally(() => unsettled.delete(settled))
      unsettled.add(settled)
    },
    retry: (store, attempt) => retryUntil({ log, metrics }, closing.signal, store, attempt),
  }
  const pending = createPending((length) => metrics.pending.set(length), capabilities.batchAgeMs)
  const recovered = new Set<number>()
  const ingesting: Ingesting = {
    bus,
    log,
    now,
    metrics,
    setAside,
    firstReader,
    holdings,
    recovered,
    pending,
    faults: faultsOf(log),
    recover: serially(() =>
      repeatBatches(
        context,
        [...holdings.keys()].filter((partition) => !recovered.has(partition)),
      ),
    ),
  }
  const tenancies = createTenancies({
    hold: (lease, signal) => hold(ingesting, lease, signal),
    log,
    followed: metrics.followed,
  })
  const writer = startWriter({ context, pending, signal: closing.signal, now })

  return {
    holdings,
    take: tenancies.begin,
    leave: async (lease, why) => {
      const life = tenancies.end(lease)
      pending.wake()
      if (life === null || why === 'lost') return
      await life.over
      await writer.settled()
      await Promise.all(unsettled)
    },
    close: async () => {
      closing.abort()
      const closed = tenancies.close()
      pending.wake()
      await Promise.all([closed, writer.ended])
      await Promise.all(unsettled)
    },
  }
}

/** What the runs of all partitions share. */
type Ingesting = Pick<IngestContext, 'bus' | 'log' | 'now' | 'metrics'> & {
  readonly setAside: SetAside
  readonly firstReader: FirstReader
  readonly holdings: Map<number, Holding>
  /** Partitions without open batches of a former owner. */
  readonly recovered: Set<number>
  readonly pending: ReturnType<typeof createPending>
  readonly faults: ReturnType<typeof faultsOf>
  /** One at a time: a batch of several partitions is repeated for all of them at once. */
  recover(): Promise<void>
}

const retryUntil = <T>(
  { log, metrics }: Pick<IngestContext, 'log' | 'metrics'>,
  signal: AbortSignal,
  store: AskedStore,
  attempt: () => Promise<T>,
): Promise<T> =>
  retryWhileRefused(attempt, {
    signal,
    log,
    store,
    what: 'readings cannot be stored',
    onWait: () => metrics.retries.inc({ store }),
  })

/** One partition, until its signal aborts: finish the batches of its former owner, then feed the writer. */
const hold = async (ingesting: Ingesting, lease: Lease, signal: AbortSignal): Promise<void> => {
  const { bus, holdings, recovered, recover, pending } = ingesting
  const { partition } = lease
  const consume = () => bus.readings.consume(partition, 'ingest')
  const holding: Holding = {
    lease,
    consumer: await retryUntil(ingesting, signal, 'bus', consume),
    slots: createStoredSlots(),
    marks: new Map(),
    signal,
  }
  holdings.set(partition, holding)
  try {
    const look = readCarefully({ ...ingesting, lease, kind: 'readings' })
    await recover()
    recovered.add(partition)
    await feed(ingesting, holding, look)
  } finally {
    if (holdings.get(partition) === holding) {
      holdings.delete(partition)
      recovered.delete(partition)
    }
    pending.drop(holding)
    await holding.consumer.close()
  }
}

const feed = ({ pending, faults, now }: Ingesting, holding: Holding, look: CarefulReading): Promise<void> => {
  const { consumer, signal } = holding
  const work = { what: 'readings cannot be fetched', store: 'nats' } as const
  return runLoop({
    signal,
    everyMs: 0,
    round: async () => {
      if (pending.isFull()) return pending.changed()
      const messages = await consumer.fetch({
        messagesMax: fetchMessagesMax,
        bytesMax: fetchBytesMax,
        waitMs: fetchWaitMs,
        signal,
      })
      faults.worked(work)
      await look(messages)
      if (messages.length > 0 && !signal.aborted) pending.add(holding, messages, now())
    },
    onError: (error) => faults.failed(work, error),
    retryMs: () => failurePauseMs,
  }).finally(() => faults.worked(work))
}
