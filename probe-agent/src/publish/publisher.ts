import { join } from 'node:path'
import { openMarks } from '@probe-mesh/bus/log/marks'
import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { setTimer, type SetTimer } from '../schedule/set-timer.ts'
import type { EncodedReading, Spool } from './spool/spool.ts'
import { createNews } from './block-age.ts'
import { createPartitionPublisher, type PublishOutcome } from './partition-publisher.ts'
import { keepSubscribed } from './keep-subscribed.ts'

/** Interval of the check for missing marks, ms. */
const silenceCheckMs = 1_000

/**
 * Publishes the spool to the stream, and releases readings once they are stored. At its start it
 * publishes readings left by an earlier process, under new batch numbers.
 */
export type Publisher = {
  /** The spool has a new reading of this partition. */
  wake(partition: number, reading: Pick<Reading, 'checkId' | 'kind' | 'verdict' | 'cause'>): void
  /**
   * Publishes a reading that the disk refused; false when the memory is full and a reading is
   * dropped.
   */
  addUnspooled(reading: EncodedReading): boolean
  /** Resolves when everything is in the stream. The caller limits the wait. */
  flush(): Promise<void>
  /** Messages in the stream that are not stored yet. */
  readonly sentCount: number
  close(): Promise<void>
}

type PublisherCapabilities = {
  agent: string
  region: string
  /** Where the batch numbers are stored. */
  directory: string
  spool: Spool
  bus: Pick<Bus, 'readings' | 'persisted' | 'onReturn'>
  /** Unix ms */
  now: () => number
  /** In [0, 1) */
  random: () => number
  log: Logger
  onOutcome: (outcome: PublishOutcome) => void
  sentMax?: number
}

export const createPublisher = (capabilities: PublisherCapabilities): Publisher => {
  const { agent, region, spool, bus, now, random, log, onOutcome } = capabilities
  const batches = openMarks(join(capabilities.directory, 'batches'), partitions.length)
  // The time is the lowest batch number: if the file is lost, no earlier number is used again. Its
  // mark would release readings that are not stored.
  const batchFloor = Math.floor(now())
  const nextBatch = (partition: number) => {
    const batch = Math.max(batches.get(partition) + 1, batchFloor)
    batches.set(partition, batch)
    return batch
  }
  const setSharedTimer = shareTimer(setTimer, () => performance.now())
  const news = createNews()
  const lanes = partitions.map((partition) =>
    createPartitionPublisher({
      agent,
      region,
      partition,
      spool: spool.partition(partition),
      readings: bus.readings,
      nextBatch: () => nextBatch(partition),
      now,
      setTimer: setSharedTimer,
      random,
      log,
      onOutcome,
      ...(capabilities.sentMax === undefined ? {} : { sentMax: capabilities.sentMax }),
    }),
  )
  const marks = keepSubscribed(
    () =>
      bus.persisted.watch(region, agent, (partition, batch) => {
        lanes[partition]?.mark(batch)
      }),
    { what: 'marks of stored readings', random, log, onReturn: bus.onReturn },
  )
  const returns = bus.onReturn(() => {
    for (const lane of lanes) lane.hurry()
  })
  const silence = setInterval(() => {
    for (const lane of lanes) lane.republishSilent()
  }, silenceCheckMs)
  for (const lane of lanes) lane.wake('news')

  return {
    wake: (partition, reading) => lanes[partition]?.wake(news.worthOf(reading)),
    addUnspooled: ({ partition, bytes }) => lanes[partition]?.addUnspooled(bytes) ?? false,
    flush: async () => {
      await Promise.all(lanes.map((lane) => lane.flush()))
    },
    get sentCount() {
      return lanes.reduce((sum, lane) => sum + lane.sentCount, 0)
    },
    close: async () => {
      clearInterval(silence)
      await Promise.all([marks.close(), returns.close()])
      await Promise.all(lanes.map((lane) => lane.close()))
      batches.close()
    },
  }
}

/**
 * Shares one timer among callbacks that may run early: a callback added while it runs fires with
 * the earlier ones, and a shorter delay shortens it for all. What partitions publish in one turn of the event loop is
 * then one packet and one wake-up of each process.
 * @param now ms, of any clock
 */
export const shareTimer = (setTimer: SetTimer, now: () => number): SetTimer => {
  let waiting: { callbacks: Set<() => void>; dueMs: number; cancel: () => void } | null = null
  const start = (delayMs: number, callbacks: Set<() => void>): Set<() => void> => {
    waiting?.cancel()
    const cancel = setTimer(delayMs, () => {
      waiting = null
      for (const callback of callbacks) callback()
    })
    waiting = { callbacks, dueMs: now() + delayMs, cancel }
    return callbacks
  }
  return (delayMs, callback) => {
    const isSoonEnough = waiting !== null && waiting.dueMs <= now() + delayMs
    const joined =
      isSoonEnough && waiting !== null ? waiting.callbacks : start(delayMs, waiting?.callbacks ?? new Set())
    // two callers may pass the same function
    const call = (): void => callback()
    joined.add(call)
    return () => void joined.delete(call)
  }
}
