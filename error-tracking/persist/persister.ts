import { runLoop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import type { Bus, StreamConsumer, StreamMessage } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '@probe-mesh/control-plane/src/stores/clickhouse/connect'
import { findErrorWatermark, abandonErrorBatch, findErrorBatch } from './error-batches-store.ts'
import type { Sql } from '@probe-mesh/control-plane/src/stores/postgres/connect'
import type { Lease } from '@probe-mesh/control-plane/src/stores/leases/leases-store'
import { faultsOf, type Work } from '@probe-mesh/control-plane/src/stores/faults'
import { retryWhileRefused, type AskedStore } from '@probe-mesh/control-plane/src/stores/retry'
import { createTenancies } from '@probe-mesh/control-plane/src/stores/leases/tenancies'
import {
  readCarefully,
  createFirstReader,
} from '@probe-mesh/control-plane/src/readings/first-read/first-reader'
import { countedPoisonShare } from '@probe-mesh/control-plane/src/readings/poison-share'
import { createSetAside } from '@probe-mesh/control-plane/src/readings/poison'
import { isCounted, contentsOf } from './batch-contents.ts'
import type { PersistContext, PersistStep } from './context.ts'
import { createMapCache } from './map-cache.ts'
import { persistMetrics } from './metrics.ts'
import { storeBatch, completeBatch } from './store-batch.ts'

/** Replays the unfinished batch of a previous owner of the partition. @returns like `storeBatch` */
const replayBatch = async (context: PersistContext): Promise<boolean> => {
  const { sql, lease, bus, log, metrics, now } = context
  const { partition } = lease
  const recorded = await context.retry('postgres', () => findErrorBatch(sql, partition))
  if (recorded === null) return true
  const { token, first, last, messages: count, lastStoredAtMs } = recorded.batch
  const messages = await context.retry('bus', () => bus.errors.replay(partition, first, last))
  const storedAt = Math.max(...messages.map((message) => message.storedAt))
  if (messages.length !== count || storedAt !== lastStoredAtMs) {
    metrics.notReplayable.inc()
    log.error(
      { partition, token, first, last },
      'a batch of error events cannot be replayed: the stream lost its messages',
    )
    await context.retry('postgres', () => abandonErrorBatch(sql, lease, token))
    return true
  }
  context.onBatchStart(messages[0]?.storedAt ?? storedAt)
  const contents = await contentsOf(messages, now(), context.setAside)
  const done = await completeBatch(context, recorded, contents, true)
  metrics.replayed.inc()
  log.info({ partition, token, messages: count }, 'replayed a batch of error events')
  return done
}

const messagesMax = 500
const bytesMax = 4 * 1024 * 1024
const fetchWaitMs = 5_000
/** A batch that is not full waits this long for more messages, so that inserts are few and large. */
const gatherMsDefault = 250
const failurePauseMs = 1_000
const idlePauseMs = 10

export type ErrorPersister = {
  /** The owned partitions with their consumers. */
  readonly holdings: ReadonlyMap<number, { readonly consumer: StreamConsumer }>
  /** Starts a partition: finishes the open batch of the previous owner, then stores new messages. */
  take(lease: Lease): void
  /** Stops a partition. With `released` it resolves when the current batch is finished. */
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
  close(): Promise<void>
}

/**
 * Stores error events from the stream in the databases, one batch of each partition at a time. Its partitions
 * are the first ones of the readings', and a lease covers both.
 */
export const startErrorPersister = (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  bus: Pick<Bus, 'errors'>
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Base of links in quota mails; absent: no links. */
  publicUrl?: string | undefined
  registry: Registry
  log: Logger
  now: () => number
  /** Replaces the wait for more messages in tests. */
  gatherMs?: number
  onStep?: (step: PersistStep) => Promise<void>
}): ErrorPersister => {
  const { sql, bus, log, onStep = () => Promise.resolve() } = capabilities
  const { gatherMs = gatherMsDefault } = capabilities
  /** When the stream stored the first message of the current batch, by partition. */
  const batchStarts = new Map<number, number>()
  const metrics = persistMetrics(capabilities.registry, { now: capabilities.now, batchStarts })
  const maps = createMapCache()
  const setAside = createSetAside()
  const firstReader = createFirstReader(new URL('first-read-thread.ts', import.meta.url))
  const poison = countedPoisonShare({ now: capabilities.now, metrics })
  const holdings = new Map<number, { consumer: StreamConsumer }>()
  const tenancies = createTenancies({
    hold: (lease, signal) => ownPartition(lease, signal),
    log,
    followed: metrics.followed,
  })

  const faults = faultsOf(log)
  const fetchings = new Map<number, Work>()
  const retryUntil = <T>(signal: AbortSignal, store: AskedStore, attempt: () => Promise<T>) =>
    retryWhileRefused(attempt, {
      signal,
      log,
      store,
      what: 'error events cannot be stored',
      onWait: () => metrics.retries.inc({ store }),
    })

  /** The next messages, with a short wait for a larger batch. */
  const fetchBatch = async (
    { consumer }: { consumer: StreamConsumer },
    signal: AbortSignal,
  ): Promise<StreamMessage[]> => {
    const messages = await consumer.fetch({ messagesMax, bytesMax, waitMs: fetchWaitMs, signal })
    if (messages.length === 0 || messages.length >= messagesMax) return messages
    await pause(gatherMs, signal)
    const bytes = messages.reduce((sum, { data }) => sum + data.length, 0)
    if (bytes >= bytesMax || signal.aborted) return messages
    const rest = { messagesMax: messagesMax - messages.length, bytesMax: bytesMax - bytes }
    return [...messages, ...(await consumer.fetch({ ...rest, waitMs: 0, signal }))]
  }

  const storeBatches = async (context: PersistContext, signal: AbortSignal): Promise<void> => {
    const { lease } = context
    const { partition } = lease
    const fetching = fetchings.get(partition) ?? { what: 'error events cannot be fetched', store: 'nats' }
    fetchings.set(partition, fetching)
    const tryReading = readCarefully({ ...context, kind: 'errors' })
    if (!(await replayBatch(context))) return
    const watermark = await context.retry('postgres', () => findErrorWatermark(sql, partition))
    await runLoop({
      signal,
      // a closed bus answers immediately
      everyMs: idlePauseMs,
      round: async () => {
        let messages: StreamMessage[]
        try {
          messages = await fetchBatch(context, signal)
          faults.worked(fetching)
        } catch (error) {
          // if the second fetch failed, a new consumer receives the messages of the first one again
          faults.failed(fetching, error)
          return 'end'
        }
        // without messages that a previous owner counted and did not acknowledge
        const fresh = messages.filter((message) => !isCounted(message, watermark))
        const last = messages.at(-1)
        await tryReading(fresh)
        if (last === undefined) return
        if (fresh.length === 0) await context.consumer.acknowledge(last.sequence)
        else if (!(await storeBatch(context, fresh))) return 'end'
        return 'again'
      },
      onError: (error) => {
        throw error
      },
    })
  }

  const ownPartition = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    const { partition } = lease
    const consumer = await retryUntil(signal, 'bus', () => bus.errors.consume(partition, 'persist'))
    const holding = { consumer }
    holdings.set(partition, holding)
    try {
      const retry = <T>(store: AskedStore, attempt: () => Promise<T>) => retryUntil(signal, store, attempt)
      const onBatchStart = (storedAtMs: number) => void batchStarts.set(partition, storedAtMs)
      const onBatchEnd = () => void batchStarts.delete(partition)
      const context = {
        ...capabilities,
        metrics,
        lease,
        consumer,
        maps,
        setAside,
        firstReader,
        poison,
        retry,
        onBatchStart,
        onBatchEnd,
        onStep,
      }
      await storeBatches(context, signal)
    } finally {
      if (holdings.get(partition) === holding) {
        holdings.delete(partition)
        // a failed batch restarts here and keeps its start time; after a release the next owner reports it
        if (signal.aborted) batchStarts.delete(partition)
      }
      await consumer.close()
    }
    await pause(failurePauseMs, signal)
  }

  return {
    holdings,
    take: (lease) => {
      if (lease.partition < limits.errorPartitions) tenancies.begin(lease)
    },
    leave: async (lease, why) => {
      const tenancy = tenancies.end(lease)
      if (tenancy !== null && why === 'released') await tenancy.over
    },
    close: async () => {
      await firstReader.close()
      await tenancies.close()
    },
  }
}
