import { subjects } from '@probe-mesh/contracts/mesh/subjects'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { PartitionedStream, Readings, Errors } from '../port.ts'
import { requestMsMax, type Link } from './link.ts'
import { readRange } from './read-range.ts'
import { openStreamConsumer } from './stream-consumer.ts'
import { readingsPlace, errorsPlace, type StreamPlace } from './topology.ts'

/** A stream in partitions. Sequences count over all partitions, so within one they have gaps. */
const createPartitionedStream = <Addressed, Name extends string>(
  link: Link,
  place: StreamPlace<Name>,
  subjectFor: (message: { partition: number } & Addressed) => string,
): PartitionedStream<Addressed, Name> => {
  const checkPartition = (partition: number): void => {
    if (place.partitions.includes(partition)) return
    throw new RangeError(`no partition ${partition} of ${place.partitions.length}`)
  }
  return {
    publish: (message) => {
      checkPartition(message.partition)
      return link.attempt(async () => {
        // A copy, since the client writes it to the socket later.
        const payload = new Uint8Array(message.data)
        const options = { msgID: message.messageId, timeout: requestMsMax }
        const { seq, duplicate } = await link.js.publish(subjectFor(message), payload, options)
        return { sequence: seq, duplicate }
      })
    },
    consume: async (partition, name) => {
      checkPartition(partition)
      return openStreamConsumer(link, place, partition, name)
    },
    replay: async (partition, first, last) => {
      checkPartition(partition)
      const unbounded = { messagesMax: Infinity, bytesMax: Infinity }
      return readRange(link, place, partition, { first, last }, unbounded)
    },
  }
}

/** The stream of readings, on a subject for each partition and region. */
export const createReadings = (link: Link): Readings =>
  createPartitionedStream(
    link,
    readingsPlace,
    ({ partition, region }: { partition: number; region: Region }) => subjects.readings(partition, region),
  )

/** The stream of error events, on a subject for each partition. */
export const createErrors = (link: Link): Errors =>
  createPartitionedStream(link, errorsPlace, ({ partition }: { partition: number }) =>
    subjects.errors(partition),
  )
