import { limits } from '@probe-mesh/contracts/limits'
import { subjects } from '@probe-mesh/contracts/subjects'
import type { Readings, ReadingsConsumer } from '../port.ts'
import { requestMsMax, type Link } from './link.ts'
import { readRange } from './read-range.ts'
import { openReadingsConsumer } from './readings-consumer.ts'

/** The stream of readings. Its sequences count over all partitions, so in one they rise with gaps. */
export const createReadings = (link: Link): Readings => ({
  publish: ({ partition, region, messageId, data }) => {
    checkPartition(partition)
    return link.attempt(async () => {
      const subject = subjects.readings(partition, region)
      // A copy: the client writes it to the socket in a later turn.
      const payload = new Uint8Array(data)
      const options = { msgID: messageId, timeout: requestMsMax }
      const { seq, duplicate } = await link.js.publish(subject, payload, options)
      return { sequence: seq, duplicate }
    })
  },
  consume: async (partition, name): Promise<ReadingsConsumer> => {
    checkPartition(partition)
    return openReadingsConsumer(link, partition, name)
  },
  replay: async (partition, first, last) => {
    checkPartition(partition)
    const unbounded = { messagesMax: Infinity, bytesMax: Infinity }
    return readRange(link, partition, { first, last }, unbounded)
  },
})

const checkPartition = (partition: number): void => {
  if (Number.isInteger(partition) && partition >= 0 && partition < limits.partitions) return
  throw new RangeError(`no partition ${partition} of ${limits.partitions}`)
}
