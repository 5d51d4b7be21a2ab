import { join } from 'node:path'
import { errorPartitions, partitions } from '@probe-mesh/contracts/mesh/subjects'
import { openLog } from '../log/log.ts'
import { openMarks } from '../log/marks.ts'
import { BusUnavailable, type Errors, type PartitionedStream, type Readings } from '../port.ts'
import { createArrival, createConsumer, toMessage, type ConsumerState } from './stream-consumer.ts'

const segmentBytesMax = 8 * 1024 * 1024

const dedupCountMax = 50_000
const dedupAgeMsMax = 120_000

type StreamOptions<Name extends string> = {
  directory: string
  partitions: readonly number[]
  consumerNames: readonly Name[]
  /** The disk limit of one partition; beyond it the partition refuses. */
  partitionBytesMax: number
  now: () => number
}

const openPartition = <Name extends string>(options: StreamOptions<Name>, partition: number) => {
  const { directory, consumerNames, partitionBytesMax, now } = options
  const stream = openLog({
    directory: join(directory, String(partition)),
    bytesMax: partitionBytesMax,
    segmentBytesMax,
    whenFull: 'refuse',
    now,
  })
  const floors = openMarks(join(directory, String(partition), 'acknowledged'), consumerNames.length)
  // A floor above the end would hide the next messages from its consumer.
  for (const index of consumerNames.keys()) {
    if (floors.get(index) > stream.last) floors.set(index, stream.last)
  }
  const arrival = createArrival()
  const release = () => {
    stream.release(Math.min(...consumerNames.map((_, index) => floors.get(index))))
  }
  release()

  const consumerState = (name: Name): ConsumerState => {
    const index = consumerNames.indexOf(name)
    return {
      partition,
      stream,
      arrival,
      floor: () => floors.get(index),
      raiseFloor: (sequence) => {
        const raised = Math.min(sequence, stream.last)
        if (raised <= floors.get(index)) return
        // If the disk fails to store it, a restart delivers some messages again.
        floors.set(index, raised)
        release()
      },
    }
  }
  const close = () => {
    stream.close()
    floors.close()
  }
  return { stream, arrival, consumerState, close }
}

/**
 * A stream in partitions, with a log for each. The deduplication window is in memory: after a restart a
 * message may be stored twice.
 */
const openPartitionedStream = <Name extends string>(
  options: StreamOptions<Name>,
): PartitionedStream<unknown, Name> & { close(): Promise<void> } => {
  const { partitions, now } = options
  const opened = partitions.map((partition) => openPartition(options, partition))
  const window = createDedupWindow({ countMax: dedupCountMax, ageMsMax: dedupAgeMsMax, now })
  const consumers = new Set<{ close(): Promise<void> }>()
  let closed = false

  const partitionAt = (partition: number) => {
    const found = opened[partition]
    if (found === undefined) throw new RangeError(`no partition ${partition} of ${partitions.length}`)
    if (closed) throw new BusUnavailable('the bus is closed')
    return found
  }

  return {
    publish: async ({ partition, messageId, data }) => {
      const { stream, arrival } = partitionAt(partition)
      const seen = window.find(messageId)
      if (seen !== undefined) return { sequence: seen, duplicate: true }
      const sequence = stream.append(data)
      window.add(messageId, sequence)
      arrival.announce()
      return { sequence, duplicate: false }
    },
    consume: async (partition, name) => {
      const consumer = createConsumer(partitionAt(partition).consumerState(name))
      consumers.add(consumer)
      return {
        ...consumer,
        close: async () => {
          consumers.delete(consumer)
          await consumer.close()
        },
      }
    },
    replay: async (partition, first, last) =>
      partitionAt(partition)
        .stream.read(first, { countMax: last - first + 1, bytesMax: Number.POSITIVE_INFINITY })
        .filter((entry) => entry.sequence <= last)
        .map((entry) => toMessage(partition, entry)),
    close: async () => {
      closed = true
      for (const consumer of consumers) await consumer.close()
      consumers.clear()
      for (const partition of opened) partition.close()
    },
  }
}

/** Recent message ids and the sequence of each. Bounded by count and by age. */
type DedupWindow = {
  find(messageId: string): number | undefined
  add(messageId: string, sequence: number): void
}

export const createDedupWindow = (bounds: {
  countMax: number
  ageMsMax: number
  now: () => number
}): DedupWindow => {
  const seen = new Map<string, { sequence: number; at: number }>()
  const forget = () => {
    const oldest = bounds.now() - bounds.ageMsMax
    for (const [messageId, { at }] of seen) {
      if (at >= oldest && seen.size <= bounds.countMax) return
      seen.delete(messageId)
    }
  }
  return {
    find: (messageId) => {
      forget()
      return seen.get(messageId)?.sequence
    },
    add: (messageId, sequence) => {
      seen.set(messageId, { sequence, at: bounds.now() })
      forget()
    },
  }
}

type Opened<Stream> = Stream & { close(): Promise<void> }

/** The stream of readings, up to 1.5 GiB. Ingest drops a reading that is stored twice after a restart. */
export const openReadings = (directory: string, now: () => number): Opened<Readings> =>
  openPartitionedStream({
    directory,
    partitions,
    consumerNames: ['ingest', 'assess'],
    partitionBytesMax: 96 * 1024 * 1024,
    now,
  })

/** The stream of error events, up to 512 MiB. */
export const openErrors = (directory: string, now: () => number): Opened<Errors> =>
  openPartitionedStream({
    directory,
    partitions: errorPartitions,
    consumerNames: ['persist'],
    partitionBytesMax: 128 * 1024 * 1024,
    now,
  })
