import { join } from 'node:path'
import { openMarks } from '@probe-mesh/bus/log/marks'
import type { Logger } from '@probe-mesh/bus/logger'
import type { Bus } from '@probe-mesh/bus/port'
import { partitions } from '@probe-mesh/contracts/mesh/subjects'
import { setTimer } from '../schedule/set-timer.ts'
import type { EncodedReading, Spool } from './spool/spool.ts'
import { createLane, type LaneOutcome } from './lane.ts'
import { keepSubscribed } from './keep-subscribed.ts'
import { shareTimer } from './share-timer.ts'

/** How often silence is looked for, ms. */
const silenceCheckMs = 1_000

/**
 * Brings what the spool holds to the stream, and releases it when it is stored. At its start it
 * publishes all that a former life left there, under new batch numbers.
 */
export type Publisher = {
  /** A reading of this partition was spooled. */
  wake(partition: number): void
  /** Publishes a reading that the disk did not take; false when too many such wait already, and one of them is dropped. */
  takeUnspooled(reading: EncodedReading): boolean
  /** Resolves when everything is in the stream; whoever calls it bounds how long that may take. */
  flush(): Promise<void>
  /** Messages in the stream that are not stored yet. */
  readonly sentCount: number
  close(): Promise<void>
}

export type PublisherCapabilities = {
  agent: string
  region: string
  /** Where the batch numbers are kept. */
  directory: string
  spool: Spool
  bus: Pick<Bus, 'readings' | 'persisted' | 'onReturn'>
  /** Unix ms */
  now: () => number
  /** In [0, 1) */
  random: () => number
  log: Logger
  onOutcome: (outcome: LaneOutcome) => void
  sentMax?: number
}

export const createPublisher = (capabilities: PublisherCapabilities): Publisher => {
  const { agent, region, spool, bus, now, random, log, onOutcome } = capabilities
  const batches = openMarks(join(capabilities.directory, 'batches'), partitions.length)
  // The time as a floor: where the file is lost, no number of a former life is given again, whose
  // marks would release readings that nobody stored.
  const batchFloor = Math.floor(now())
  const takeBatch = (partition: number) => {
    const batch = Math.max(batches.get(partition) + 1, batchFloor)
    batches.set(partition, batch)
    return batch
  }
  const setSharedTimer = shareTimer(setTimer)
  const lanes = partitions.map((partition) =>
    createLane({
      agent,
      region,
      partition,
      spool: spool.partition(partition),
      readings: bus.readings,
      takeBatch: () => takeBatch(partition),
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
    { what: 'the marks of what is stored', random, log, onReturn: bus.onReturn },
  )
  const returns = bus.onReturn(() => {
    for (const lane of lanes) lane.hurry()
  })
  const silence = setInterval(() => {
    for (const lane of lanes) lane.republishSilent()
  }, silenceCheckMs)
  for (const lane of lanes) lane.wake()

  return {
    wake: (partition) => lanes[partition]?.wake(),
    takeUnspooled: ({ partition, bytes }) => lanes[partition]?.takeUnspooled(bytes) ?? false,
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
