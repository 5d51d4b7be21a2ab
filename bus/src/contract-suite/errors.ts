import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import type { Bus } from '../port.ts'
import type { BusTest } from './bus-test.ts'
import { fetchCount, texts } from './fetching.ts'

const publish = (bus: Bus, partition: number, text: string, messageId: string = randomUUID()) =>
  bus.errors.publish({ partition, messageId, data: Buffer.from(text) })

/**
 * The stream of error events has the same implementation as the stream of readings; `readings.ts` tests the
 * rest.
 */
export const errorsContract = (busTest: BusTest): void => {
  busTest(
    'error events of a partition come in order, each message id once, beside the readings',
    async ({ bus }) => {
      const reading = { partition: 1, region: 'fra', messageId: 'a', data: Buffer.from('reading') }
      await bus.readings.publish(reading)
      expect(await publish(bus, 1, 'one', 'a')).toMatchObject({ duplicate: false })
      expect(await publish(bus, 1, 'one', 'a')).toMatchObject({ duplicate: true })
      await publish(bus, 2, 'of another partition')
      await publish(bus, 1, 'two', 'b')
      const consumer = await bus.errors.consume(1, 'persist')
      expect(texts(await fetchCount(consumer, 2))).toEqual(['one', 'two'])
      const readings = await bus.readings.consume(1, 'ingest')
      expect(texts(await fetchCount(readings, 1))).toEqual(['reading'])
    },
  )

  busTest(
    'error events that are not acknowledged come again after a reopen, and are replayed exactly',
    async (opened) => {
      for (const text of ['a', 'b', 'c', 'd']) await publish(opened.bus, 3, text)
      const first = await opened.bus.errors.consume(3, 'persist')
      const messages = await fetchCount(first, 4)
      await first.acknowledge(messages[0]?.sequence ?? 0)
      const again = await opened.reopen()
      const [from, to] = [messages[1]?.sequence ?? 0, messages[2]?.sequence ?? 0]
      expect(await again.errors.replay(3, from, to)).toEqual(messages.slice(1, 3))
      const second = await again.errors.consume(3, 'persist')
      expect(texts(await fetchCount(second, 3))).toEqual(['b', 'c', 'd'])
      await second.acknowledge(messages[3]?.sequence ?? 0)
      expect(await second.lag()).toEqual({ messages: 0, bytes: 0 })
    },
  )

  busTest('a message as large as the stream takes goes through it', async ({ bus }) => {
    const large = 'x'.repeat(900_000)
    await publish(bus, 0, large)
    const [message] = await fetchCount(await bus.errors.consume(0, 'persist'), 1)
    expect(message?.data.length).toBe(large.length)
  })

  busTest('there are four partitions of error events', async ({ bus }) => {
    await expect((async () => publish(bus, 4, 'a'))()).rejects.toThrow(RangeError)
  })
}
