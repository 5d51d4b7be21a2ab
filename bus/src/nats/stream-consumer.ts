import type { ConsumerInfo } from '@nats-io/jetstream'
import { anySignal } from '@probe-mesh/runtime/any-signal'
import { BusUnavailable, type StreamConsumer, type StreamMessage } from '../port.ts'
import { acknowledgementSubject, type Delivery } from './delivery.ts'
import { requestMsMax, type Link } from './link.ts'
import { createPuller, type Pulled } from './pull.ts'
import { readRange } from './read-range.ts'
import { durableName, publisherOf, type StreamPlace } from './topology.ts'

/** Pulls of one fetch that may end in doubt before the fetch fails. */
const doubtsMax = 3

/** How many forgotten acknowledgements are repeated at a time. */
const forgottenMax = 1_000

const ack = '+ACK'

/**
 * Delivered to the caller and not acknowledged; `reply` is null when the message was read from the stream.
 */
type Handed = { sequence: number; reply: string | null }

type Position = {
  /** When the stream was created; the numbers below belong to this stream only. */
  streamCreated: string
  /** The last sequence delivered to the caller. */
  handed: number
  /** The last sequence the caller acknowledged. */
  acknowledged: number
  /** The number of the last delivery seen. */
  number: number
  /** The server has delivered up to here, to us or to an earlier process: the gap is read from the stream. */
  owed: number
  unacknowledged: Handed[]
  /** Messages or an acknowledgement may have been lost: the server is queried. */
  doubtful: boolean
}

/**
 * A durable consumer of one partition, whose messages are acknowledged one by one and in order. The server
 * repeats a lost delivery only much later, so deliveries are counted: when one is missing, the partition is
 * read from the stream up to there. Messages that an earlier process left unacknowledged are read the same
 * way, so nothing waits for a redelivery.
 */
export const openStreamConsumer = async (
  link: Link,
  place: StreamPlace,
  partition: number,
  name: string,
): Promise<StreamConsumer> => {
  const { stream } = place
  const durable = durableName(partition, name)
  const puller = createPuller(link, { stream, consumer: durable })
  const askInfo = () => link.attempt(() => link.jsm.consumers.info(stream, durable))
  const askCreated = async () => (await link.attempt(() => link.jsm.streams.info(stream))).created
  const position = startAt(await askCreated(), await askInfo())
  const closing = new AbortController()
  const closed = anySignal([closing.signal, link.closing])
  const consumer = { link, place, partition, durable, puller, askInfo, askCreated, position, closed }
  const stopListening = link.onChange(() => {
    position.doubtful = true
  })

  return {
    fetch: (bounds) => fetch(consumer, bounds),
    acknowledge: async (sequence) => {
      // beyond what was delivered it is of a stream that was removed since
      if (sequence <= position.acknowledged || sequence > position.handed) return
      const behind = position.unacknowledged.findIndex((handed) => handed.sequence > sequence)
      const count = behind === -1 ? position.unacknowledged.length : behind
      const acknowledged = position.unacknowledged.splice(0, count)
      position.acknowledged = acknowledged.at(-1)?.sequence ?? sequence
      await confirm(consumer, acknowledged)
    },
    lag: async () => {
      const info = await askInfo()
      const messages = info.num_pending + info.num_ack_pending
      if (messages === 0) return { messages: 0, bytes: 0 }
      const { state } = await link.attempt(() => link.jsm.streams.info(stream))
      // The server counts bytes only for the whole stream: this assumes messages of mean size.
      return { messages, bytes: Math.ceil((messages * state.bytes) / Math.max(1, state.messages)) }
    },
    close: async () => {
      closing.abort()
      stopListening()
      puller.close()
    },
  }
}

type Consumer = {
  readonly link: Link
  readonly place: StreamPlace
  readonly partition: number
  /** The name of the consumer on the server. */
  readonly durable: string
  readonly puller: ReturnType<typeof createPuller>
  askInfo(): Promise<ConsumerInfo>
  /** When the stream was created: a consumer reports another time after a restart. */
  askCreated(): Promise<string>
  readonly position: Position
  readonly closed: AbortSignal
}

const fetch = async (
  consumer: Consumer,
  { messagesMax, bytesMax, waitMs, signal }: Parameters<StreamConsumer['fetch']>[0],
): Promise<StreamMessage[]> => {
  const { position, closed, durable } = consumer
  const endsAt = performance.now() + waitMs
  const ended = anySignal([signal, closed])
  const bounds = { messagesMax, bytesMax }
  let doubts = 0
  for (;;) {
    if (ended.aborted) return []
    await settle(consumer)
    const owed = position.owed > position.handed ? await readOwed(consumer, bounds) : []
    if (owed.length > 0) return owed
    const leftMs = Math.max(0, Math.floor(endsAt - performance.now()))
    const messages = await take(consumer, bounds, leftMs, ended)
    if (messages.length > 0) return messages
    if (position.owed > position.handed) continue
    const isOver = !position.doubtful && (leftMs === 0 || performance.now() >= endsAt)
    // a lost delivery looks like silence
    position.doubtful = true
    if (isOver) return []
    doubts += 1
    if (doubts > doubtsMax) throw new BusUnavailable(`no ${durable}`)
  }
}

/** Queries the server's position after anything that could lose a message. */
const settle = async (consumer: Consumer): Promise<void> => {
  const { position, link, durable, askCreated, askInfo } = consumer
  if (!position.doubtful) return
  // Before the query: a loss during the query sets it again.
  position.doubtful = false
  const [created, info] = await Promise.all([askCreated(), askInfo()]).catch((error: unknown) => {
    position.doubtful = true
    throw error
  })
  if (created !== position.streamCreated) {
    link.log.warn({ durable }, 'the stream was recreated; reading from its beginning')
    Object.assign(position, startAt(created, info))
    return
  }
  if (info.delivered.consumer_seq !== position.number) {
    position.owed = Math.max(position.owed, info.delivered.stream_seq)
    position.number = info.delivered.consumer_seq
  }
  await confirmForgotten(consumer, info)
}

const readOwed = async (
  { position, link, place, partition }: Consumer,
  bounds: Bounds,
): Promise<StreamMessage[]> => {
  const range = { first: position.handed + 1, last: position.owed }
  const messages = await readRange(link, place, partition, range, bounds)
  for (const { sequence } of messages) position.unacknowledged.push({ sequence, reply: null })
  position.handed = messages.at(-1)?.sequence ?? position.owed
  return messages
}

const take = async (
  consumer: Consumer,
  bounds: Bounds,
  waitMs: number,
  signal: AbortSignal,
): Promise<StreamMessage[]> => {
  const { puller } = consumer
  const pulled = await puller.pull({ ...bounds, waitMs }, signal)
  const messages = admit(consumer, pulled)
  if (messages.length > 0 || pulled.end !== 'too_large') return messages
  return admit(consumer, await puller.pull({ messagesMax: 1, waitMs: 0 }, signal))
}

const admit = (consumer: Consumer, { deliveries, end }: Pulled): StreamMessage[] => {
  const { position, partition, place } = consumer
  if (end === 'doubtful') position.doubtful = true
  const { fresh, repeated } = admitDeliveries(position, deliveries)
  // Repeated although acknowledged: a killed server forgot it.
  void confirm(consumer, repeated)
  for (const { sequence, reply } of fresh) position.unacknowledged.push({ sequence, reply })
  return fresh.map(({ sequence, data, storedAt, subject }) => ({
    partition,
    sequence,
    data,
    storedAt,
    ...publisherOf(place, subject),
  }))
}

/**
 * Sends acknowledgements and waits for the last, and so for all: the server processes them in order. If
 * that fails, the server is queried for its position.
 */
const confirm = async (consumer: Consumer, messages: readonly Handed[]): Promise<void> => {
  const { link, place, durable, position, closed } = consumer
  const last = messages.at(-1)
  if (last === undefined) return
  const replyOf = ({ sequence, reply }: Handed): string =>
    reply ?? acknowledgementSubject(place.stream, durable, sequence)
  try {
    await link.attempt(async () => {
      for (const message of messages.slice(0, -1)) link.nc.publish(replyOf(message), ack)
      await link.nc.request(replyOf(last), ack, { timeout: requestMsMax })
    })
  } catch (error) {
    position.doubtful = true
    if (!closed.aborted) {
      const { sequence } = last
      link.log.warn({ err: error, durable, sequence }, 'the acknowledgement failed; it is repeated')
    }
  }
}

/**
 * Repeats acknowledgements that a killed server has forgotten. It may wait for messages that the stream no
 * longer has, whose sequences are unknown: so every sequence up to the first that the caller still holds is
 * acknowledged. The server ignores those of other partitions.
 */
const confirmForgotten = async (consumer: Consumer, info: ConsumerInfo): Promise<void> => {
  const { position } = consumer
  const behind = (position.unacknowledged[0]?.sequence ?? position.handed + 1) - 1
  const last = Math.min(behind, info.delivered.stream_seq)
  let next = info.ack_floor.stream_seq + 1
  while (next <= last && !position.doubtful) {
    const count = Math.min(forgottenMax, last - next + 1)
    const from = next
    await confirm(
      consumer,
      Array.from({ length: count }, (_, n) => ({ sequence: from + n, reply: null })),
    )
    next += count
  }
}

type Bounds = { messagesMax: number; bytesMax: number }

const startAt = (streamCreated: string, info: ConsumerInfo): Position => ({
  streamCreated,
  handed: info.ack_floor.stream_seq,
  acknowledged: info.ack_floor.stream_seq,
  number: info.delivered.consumer_seq,
  owed: info.delivered.stream_seq,
  unacknowledged: [],
  doubtful: false,
})

/**
 * Moves a position over the deliveries of a pull. A message after a missing one is not delivered but owed,
 * like the missing one. `repeated` were acknowledged before.
 */
export const admitDeliveries = (
  position: Omit<Position, 'streamCreated' | 'unacknowledged'>,
  deliveries: readonly Delivery[],
): { fresh: Delivery[]; repeated: Delivery[] } => {
  const fresh: Delivery[] = []
  const repeated: Delivery[] = []
  for (const delivery of deliveries) {
    const isNext = delivery.number === position.number + 1
    if (delivery.sequence <= position.handed) {
      if (delivery.sequence <= position.acknowledged) repeated.push(delivery)
      // A repeated message does not show what is missing before it: the server must be queried.
      if (isNext) position.number = delivery.number
      else position.doubtful = true
      continue
    }
    position.number = delivery.number
    if (isNext && position.owed <= position.handed) {
      fresh.push(delivery)
      position.handed = delivery.sequence
    } else {
      position.owed = Math.max(position.owed, delivery.sequence)
    }
  }
  return { fresh, repeated }
}
