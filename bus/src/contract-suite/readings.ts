import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Bus, StreamConsumer } from '../port.ts'
import type { BusTest } from './bus-test.ts'
import { bounds, fetchCount, texts } from './fetching.ts'

const publish = (bus: Bus, partition: number, text: string, messageId: string = randomUUID()) =>
  bus.readings.publish({ partition, region: 'fra', messageId, data: Buffer.from(text) })

/** The available messages, with a short wait for more. */
const fetchRest = (consumer: StreamConsumer) => consumer.fetch({ ...bounds, waitMs: 300 })

const deliveryContract = (busTest: BusTest): void => {
  busTest('messages come in the order they were published, their sequences rising', async ({ bus }) => {
    const stored = []
    for (const text of ['a', 'b', 'c']) stored.push((await publish(bus, 3, text)).sequence)
    const messages = await fetchCount(await bus.readings.consume(3, 'ingest'), 3)
    expect(texts(messages)).toEqual(['a', 'b', 'c'])
    expect(messages.map(({ sequence }) => sequence)).toEqual(stored)
    expect(stored).toEqual(stored.toSorted((x, y) => x - y))
    expect(messages.map(({ partition }) => partition)).toEqual([3, 3, 3])
    for (const { storedAt } of messages) expect(Number.isFinite(storedAt)).toBe(true)
  })

  busTest('stores a message id once', async ({ bus }) => {
    const first = await publish(bus, 0, 'a', 'agent:0:1')
    const again = await publish(bus, 0, 'a', 'agent:0:1')
    await publish(bus, 0, 'b', 'agent:0:2')
    expect(first.duplicate).toBe(false)
    expect(again).toEqual({ sequence: first.sequence, duplicate: true })
    const messages = await fetchCount(await bus.readings.consume(0, 'assess'), 2)
    expect(texts(messages)).toEqual(['a', 'b'])
  })

  busTest('each consumer sees every message, of its own partition only', async ({ bus }) => {
    await publish(bus, 1, 'one')
    await publish(bus, 2, 'two')
    for (const name of ['ingest', 'assess'] as const) {
      const consumer = await bus.readings.consume(1, name)
      expect(texts(await fetchCount(consumer, 1))).toEqual(['one'])
    }
    const other = await bus.readings.consume(2, 'ingest')
    expect(texts(await fetchCount(other, 1))).toEqual(['two'])
  })

  busTest('delivers a message once while its consumer lives', async ({ bus }) => {
    const consumer = await bus.readings.consume(0, 'ingest')
    for (const text of ['a', 'b']) await publish(bus, 0, text)
    await fetchCount(consumer, 2)
    await publish(bus, 0, 'c')
    expect(texts(await fetchCount(consumer, 1))).toEqual(['c'])
  })

  busTest('a fetch keeps its bounds, and gives a message that alone is over them', async ({ bus }) => {
    const consumer = await bus.readings.consume(0, 'ingest')
    for (const letter of ['a', 'b', 'c']) await publish(bus, 0, letter.repeat(5_000))
    const two = await consumer.fetch({ ...bounds, messagesMax: 2 })
    expect(two).toHaveLength(2)
    const large = await consumer.fetch({ ...bounds, bytesMax: 1_000 })
    expect(large.map(({ data }) => data.length)).toEqual([5_000])
  })

  busTest('gives every consumer its own copy of the bytes', async ({ bus }) => {
    const data = Buffer.from('published')
    await bus.readings.publish({ partition: 0, region: 'fra', messageId: randomUUID(), data })
    data.fill(0)
    const [message] = await fetchCount(await bus.readings.consume(0, 'ingest'), 1)
    message?.data.fill(0)
    expect(texts(await fetchCount(await bus.readings.consume(0, 'assess'), 1))).toEqual(['published'])
  })
}

const waitingContract = (busTest: BusTest): void => {
  busTest('a waiting fetch resolves with what arrives', async ({ bus }) => {
    const consumer = await bus.readings.consume(5, 'assess')
    const waiting = fetchCount(consumer, 1)
    await publish(bus, 5, 'late')
    expect(texts(await waiting)).toEqual(['late'])
  })

  busTest('a waiting fetch resolves empty at its end, on abort and on close', async ({ bus }) => {
    const atEnd = await bus.readings.consume(6, 'assess')
    expect(await atEnd.fetch({ ...bounds, waitMs: 50 })).toEqual([])
    const aborted = new AbortController()
    const waiting = atEnd.fetch({ ...bounds, waitMs: 60_000, signal: aborted.signal })
    aborted.abort()
    expect(await waiting).toEqual([])
    expect(await atEnd.fetch({ ...bounds, waitMs: 60_000, signal: aborted.signal })).toEqual([])
    const untilClosed = atEnd.fetch({ ...bounds, waitMs: 60_000 })
    await atEnd.close()
    expect(await untilClosed).toEqual([])
  })
}

const acknowledgementContract = (busTest: BusTest): void => {
  busTest('redelivers only what is not acknowledged', async ({ bus }) => {
    for (const text of ['a', 'b', 'c']) await publish(bus, 0, text)
    const first = await bus.readings.consume(0, 'ingest')
    const messages = await fetchCount(first, 3)
    await first.acknowledge(messages[1]?.sequence ?? 0)
    await first.close()
    const second = await bus.readings.consume(0, 'ingest')
    expect(texts(await fetchCount(second, 1))).toEqual(['c'])
  })

  busTest('an acknowledgement of less than before changes nothing', async ({ bus }) => {
    for (const text of ['a', 'b', 'c']) await publish(bus, 0, text)
    const first = await bus.readings.consume(0, 'ingest')
    const messages = await fetchCount(first, 3)
    await first.acknowledge(messages[2]?.sequence ?? 0)
    await first.acknowledge(messages[0]?.sequence ?? 0)
    await first.close()
    expect(await fetchRest(await bus.readings.consume(0, 'ingest'))).toEqual([])
  })

  busTest('a range is replayed exactly while its consumer has not acknowledged it', async ({ bus }) => {
    for (const text of ['a', 'b', 'c', 'd', 'e']) await publish(bus, 0, text)
    const assess = await bus.readings.consume(0, 'assess')
    const seen = await fetchCount(assess, 5)
    await assess.acknowledge(seen[4]?.sequence ?? 0)
    const ingest = await bus.readings.consume(0, 'ingest')
    const messages = await fetchCount(ingest, 5)
    const [first, last] = [messages[1]?.sequence ?? 0, messages[3]?.sequence ?? 0]
    expect(await bus.readings.replay(0, first, last)).toEqual(messages.slice(1, 4))
    expect(texts(await bus.readings.replay(0, first, first))).toEqual(['b'])
  })

  busTest('lag counts what is not acknowledged', async ({ bus }) => {
    const consumer = await bus.readings.consume(0, 'ingest')
    expect((await consumer.lag()).messages).toBe(0)
    for (const text of ['a', 'b', 'c']) await publish(bus, 0, text)
    const messages = await fetchCount(consumer, 3)
    const behind = await consumer.lag()
    expect(behind.messages).toBe(3)
    expect(behind.bytes).toBeGreaterThanOrEqual(3)
    await consumer.acknowledge(messages[1]?.sequence ?? 0)
    expect((await consumer.lag()).messages).toBe(1)
    await consumer.acknowledge(messages[2]?.sequence ?? 0)
    expect(await consumer.lag()).toEqual({ messages: 0, bytes: 0 })
  })

  busTest('messages, sequences and acknowledgements are there after a reopen', async (opened) => {
    const { bus } = opened
    for (const text of ['a', 'b', 'c']) await publish(bus, 7, text)
    const ingest = await bus.readings.consume(7, 'ingest')
    const messages = await fetchCount(ingest, 3)
    await ingest.acknowledge(messages[0]?.sequence ?? 0)

    const again = await opened.reopen()
    expect(texts(await fetchCount(await again.readings.consume(7, 'ingest'), 2))).toEqual(['b', 'c'])
    expect(texts(await fetchCount(await again.readings.consume(7, 'assess'), 3))).toEqual(['a', 'b', 'c'])
    const { sequence } = await publish(again, 7, 'd')
    expect(sequence).toBeGreaterThan(messages[2]?.sequence ?? 0)
  })

  busTest('a sequence is not given twice when all was acknowledged before a reopen', async (opened) => {
    const { sequence } = await publish(opened.bus, 8, 'a')
    for (const name of ['ingest', 'assess'] as const) {
      const consumer = await opened.bus.readings.consume(8, name)
      await fetchCount(consumer, 1)
      await consumer.acknowledge(sequence)
    }
    const again = await opened.reopen()
    expect((await publish(again, 8, 'b')).sequence).toBeGreaterThan(sequence)
    expect(texts(await fetchCount(await again.readings.consume(8, 'assess'), 1))).toEqual(['b'])
  })
}

const closingContract = (busTest: BusTest): void => {
  busTest('closing the bus ends every wait, and what is asked after is unavailable', async (opened) => {
    const { bus } = opened
    const consumer = await bus.readings.consume(0, 'ingest')
    const waiting = consumer.fetch({ ...bounds, waitMs: 60_000 })
    await bus.close()
    expect(await waiting).toEqual([])
    await expect(publish(bus, 0, 'a')).rejects.toMatchObject({ name: 'BusUnavailable' })
  })
}

export const readingsContract = (busTest: BusTest): void => {
  deliveryContract(busTest)
  waitingContract(busTest)
  acknowledgementContract(busTest)
  closingContract(busTest)
}
