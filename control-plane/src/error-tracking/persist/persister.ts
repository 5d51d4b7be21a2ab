import { runLoop } from '@probe-mesh/runtime/loop'
import { pause } from '@probe-mesh/runtime/pause'
import type { Bus, StreamConsumer, StreamMessage } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import type { Tier, TierLimits } from '@probe-mesh/contracts/account/tiers'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { ClickHouse } from '../../stores/clickhouse/connect.ts'
import { findErrorWatermark, abandonErrorBatch, findErrorBatch } from './error-batches-store.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import type { Lease } from '../../stores/leases/leases-store.ts'
import { retryWhileUnavailable } from '../../stores/retry.ts'
import { createTenancies } from '../../stores/leases/tenancies.ts'
import { readCarefully, createTrialReader } from '../../readings/trial/trial-reader.ts'
import { countedPoisonShare } from '../../readings/poison-share.ts'
import { createSetAside } from '../../readings/poison.ts'
import { isCounted, contentsOf } from './batch-contents.ts'
import type { PersistContext, PersistStep } from './context.ts'
import { createMapCache } from './map-cache.ts'
import { persistMetrics } from './metrics.ts'
import { storeBatch, completeBatch } from './store-batch.ts'

/** Finishes what a former owner of the partition recorded and did not finish. @returns as `storeBatch` */
const repeatBatch = async (context: PersistContext): Promise<boolean> => {
  const { sql, lease, bus, log, metrics, now } = context
  const { partition } = lease
  const recorded = await context.retry('postgres', () => findErrorBatch(sql, partition))
  if (recorded === null) return true
  const { token, first, last, messages: count, lastStoredAtMs } = recorded.batch
  const messages = await context.retry('bus', () => bus.errors.replay(partition, first, last))
  const storedAt = Math.max(...messages.map((message) => message.storedAt))
  if (messages.length !== count || storedAt !== lastStoredAtMs) {
    metrics.unrepeatable.inc()
    log.error(
      { partition, token, first, last },
      'a batch of error events cannot be replayed: the stream lost its messages',
    )
    await context.retry('postgres', () => abandonErrorBatch(sql, lease, token))
    return true
  }
  context.begins(messages[0]?.storedAt ?? storedAt)
  const contents = await contentsOf(messages, now(), context.setAside)
  const done = await completeBatch(context, recorded, contents, true)
  metrics.repeated.inc()
  log.info({ partition, token, messages: count }, 'replayed a batch of error events')
  return done
}

const messagesMax = 500
const bytesMax = 4 * 1024 * 1024
const fetchWaitMs = 5_000
/** How long a batch that is not full waits for more: few large inserts and not many small ones. */
const gatherMsDefault = 250
const failurePauseMs = 1_000
const idlePauseMs = 10

export type ErrorPersister = {
  /** The partitions it has now, each with whom it reads the stream by. */
  readonly holdings: ReadonlyMap<number, { readonly consumer: StreamConsumer }>
  /** Begins with a partition: finishes what its former owner left open, then stores what comes. */
  take(lease: Lease): void
  /** Ends with a partition; a `released` one is left when no batch of it is under way. */
  leave(lease: Lease, why: 'released' | 'lost'): Promise<void>
  close(): Promise<void>
}

/**
 * Carries error events from the stream to the stores. Its partitions are the first ones of the
 * readings', so that whoever has the lease of one has both: one batch of each is under way at a time.
 */
export const startErrorPersister = (capabilities: {
  sql: Sql
  clickhouse: ClickHouse
  bus: Pick<Bus, 'errors'>
  tiers: Readonly<Record<Tier, TierLimits>>
  /** Where letters about spent quotas lead; absent: nowhere. */
  publicUrl?: string | undefined
  registry: Registry
  log: Logger
  now: () => number
  /** Stands for how long a batch waits for more, in tests, which wait for every batch. */
  gatherMs?: number
  onStep?: (step: PersistStep) => Promise<void>
}): ErrorPersister => {
  const { sql, bus, log, onStep = () => Promise.resolve() } = capabilities
  const { gatherMs = gatherMsDefault } = capabilities
  /** By partition: when the stream took the first message of the batch under way. */
  const underWay = new Map<number, number>()
  const metrics = persistMetrics(capabilities.registry, { now: capabilities.now, underWay })
  const maps = createMapCache()
  const setAside = createSetAside()
  const trial = createTrialReader(new URL('trial-thread.ts', import.meta.url))
  const poison = countedPoisonShare({ now: capabilities.now, metrics })
  const holdings = new Map<number, { consumer: StreamConsumer }>()
  const tenancies = createTenancies({
    hold: (lease, signal) => hold(lease, signal),
    log,
    followed: metrics.followed,
  })

  const retryUntil = <T>(signal: AbortSignal, store: string, attempt: () => Promise<T>) =>
    retryWhileUnavailable(attempt, {
      signal,
      onWait: (error, waitMs) => {
        metrics.retries.inc({ store })
        log.warn(
          { err: error, store, waitMs },
          'Postgres, ClickHouse or NATS is unavailable; error events wait',
        )
      },
    })

  /** Messages that are not counted yet, waiting a little for a batch of them. */
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

  const work = async (context: PersistContext, signal: AbortSignal): Promise<void> => {
    const { lease } = context
    const { partition } = lease
    const look = readCarefully({ ...context, kind: 'errors' })
    if (!(await repeatBatch(context))) return
    const watermark = await context.retry('postgres', () => findErrorWatermark(sql, partition))
    await runLoop({
      signal,
      // a closed bus answers at once
      everyMs: idlePauseMs,
      round: async () => {
        let messages: StreamMessage[]
        try {
          messages = await fetchBatch(context, signal)
        } catch (error) {
          // a new consumer receives the messages of a first fetch again, if the second one failed
          log.warn({ err: error, partition }, 'error events cannot be fetched; retrying')
          return 'end'
        }
        // counted by a former owner that died before it acknowledged
        const fresh = messages.filter((message) => !isCounted(message, watermark))
        const last = messages.at(-1)
        await look(fresh)
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

  const hold = async (lease: Lease, signal: AbortSignal): Promise<void> => {
    const { partition } = lease
    const consumer = await retryUntil(signal, 'bus', () => bus.errors.consume(partition, 'persist'))
    const holding = { consumer }
    holdings.set(partition, holding)
    try {
      const retry = <T>(store: string, attempt: () => Promise<T>) => retryUntil(signal, store, attempt)
      const begins = (storedAtMs: number) => void underWay.set(partition, storedAtMs)
      const ends = () => void underWay.delete(partition)
      const context = {
        ...capabilities,
        metrics,
        lease,
        consumer,
        maps,
        setAside,
        trial,
        poison,
        retry,
        begins,
        ends,
        onStep,
      }
      await work(context, signal)
    } finally {
      if (holdings.get(partition) === holding) {
        holdings.delete(partition)
        // whoever begins again counts it; of one that is left its next owner tells
        if (signal.aborted) underWay.delete(partition)
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
      const life = tenancies.end(lease)
      if (life !== null && why === 'released') await life.over
    },
    close: async () => {
      await trial.close()
      await tenancies.close()
    },
  }
}
