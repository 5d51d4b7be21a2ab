import type { StreamMessage } from '../port.ts'
import type { Link } from './link.ts'
import { publisherOf, type StreamPlace } from './topology.ts'

/**
 * The messages of one partition in [first, last] that are still in the stream, in order, until a limit is
 * reached; at least one if any exists. Sequences count over all partitions, so most of a range may belong to
 * others. It costs a request per message: for recovery after a crash, not for normal reads.
 * @throws BusUnavailable
 */
export const readRange = async (
  link: Link,
  place: Pick<StreamPlace, 'stream' | 'subjectOf' | 'regionOf'>,
  partition: number,
  range: { first: number; last: number },
  bounds: { messagesMax: number; bytesMax: number },
): Promise<StreamMessage[]> => {
  const messages: StreamMessage[] = []
  let bytes = 0
  let next = range.first
  while (next <= range.last && messages.length < bounds.messagesMax) {
    const query = { seq: next, next_by_subj: place.subjectOf(partition) }
    const found = await link.attempt(() => readOne(link, place.stream, query))
    if (found === null || found.seq > range.last) break
    const data = new Uint8Array(found.data)
    bytes += data.length
    if (messages.length > 0 && bytes > bounds.bytesMax) break
    messages.push({
      partition,
      sequence: found.seq,
      data,
      storedAt: Date.parse(found.timestamp),
      ...publisherOf(place, found.subject),
    })
    next = found.seq + 1
  }
  return messages
}

/** from the leader instead of a direct get: a replica may not have the message yet */
const readOne = (link: Link, stream: string, query: { seq: number; next_by_subj: string }) =>
  // servers accept this query since 2.9; the client's types allow it for direct gets only
  link.jsm.streams.getMessage(stream, query)
