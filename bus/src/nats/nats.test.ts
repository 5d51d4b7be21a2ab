import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { connect } from '@nats-io/transport-node'
import { startTestNats } from '@probe-mesh/infra/testing/nats'
import { useEach } from '@probe-mesh/infra/testing/use'
import { afterEach, expect, test, vi } from 'vitest'
import { anAssignment, arrived, patience, until } from '../contract-suite/fixtures.ts'
import type { Bus, StreamConsumer, StreamMessage } from '../port.ts'
import { openNatsBus } from './nats-bus.ts'

const bytesMax = 8 * 1024 * 1024
const signal = new AbortController().signal
const bounds = { messagesMax: 50, bytesMax: 1_000_000, waitMs: 2_000, signal }

let buses: Bus[] = []

const open = async (): Promise<Bus> => {
  const topology = { regions: ['fra'], readingsBytesMax: bytesMax }
  const opened = await openNatsBus({ servers: [server.url], name: 'test', topology })
  buses.push(opened)
  return opened
}

const server = useEach(() => startTestNats())
const bus = useEach(() => open())
const admin = useEach(() =>
  connect({ servers: server.url, maxReconnectAttempts: -1, reconnectTimeWait: 100 }),
)
const jsm = useEach(() => jetstreamManager(admin, { checkAPI: false }))
afterEach(async () => {
  for (const opened of buses) await opened.close()
  buses = []
})

const publish = (text: string, partition = 0) =>
  bus.readings.publish({ partition, region: 'fra', messageId: text, data: Buffer.from(text) })
const texts = (messages: readonly StreamMessage[]) => messages.map(({ data }) => Buffer.from(data).toString())
const numbered = (count: number) => Array.from({ length: count }, (_, n) => `m${n}`)

/** Fetches until the message `last`, retrying while NATS is unavailable. */
const fetchThrough = async (consumer: StreamConsumer, last: string) => {
  const seen: StreamMessage[] = []
  await vi.waitFor(async () => {
    seen.push(...(await consumer.fetch({ ...bounds, waitMs: 200 })))
    if (!texts(seen).includes(last)) throw new Error('not there yet')
  }, patience)
  return seen
}
/** Takes deliveries of a consumer, as if they were lost. */
const lose = async (consumer: string, count: number) => {
  const inbox = `_INBOX.${randomUUID()}`
  const lost: string[] = []
  const subscription = admin.subscribe(inbox, {
    callback: (_, message) => {
      lost.push(message.subject)
    },
  })
  const request = { batch: count, expires: nanos(5_000) }
  admin.publish(`$JS.API.CONSUMER.MSG.NEXT.READINGS.${consumer}`, JSON.stringify(request), {
    reply: inbox,
  })
  await arrived(lost, count)
  subscription.unsubscribe()
}

test('delivers a message lost between two others in its place', async () => {
  const consumer = await bus.readings.consume(0, 'ingest')
  await publish('a')
  expect(texts(await consumer.fetch(bounds))).toEqual(['a'])
  await publish('b')
  await publish('other', 1)
  await lose('ingest-0', 1)
  await publish('c')
  expect(texts(await fetchThrough(consumer, 'c'))).toEqual(['b', 'c'])
  const info = () => jsm.consumers.info('READINGS', 'ingest-0')
  expect((await info()).num_ack_pending).toBe(3)
})

test('a fetch with a result is one request to the server, also after a wait', async () => {
  const consumer = await bus.readings.consume(0, 'ingest')
  const asked: string[] = []
  const subscription = admin.subscribe('$JS.API.>', {
    callback: (_, message) => {
      asked.push(message.subject)
    },
  })
  await admin.flush()
  const seen: string[] = []
  let fetches = 0
  for (const round of numbered(5)) {
    const published: Promise<unknown>[] = []
    const count = seen.length + 3
    while (seen.length < count) {
      fetches += 1
      const fetched = consumer.fetch(bounds)
      // once it waits: several at once, as agents publish
      if (published.length === 0) {
        published.push(...['a', 'b', 'c'].map((text) => publish(`${round} ${text}`)))
      }
      seen.push(...texts(await fetched))
    }
    await Promise.all(published)
  }
  await admin.flush()
  subscription.unsubscribe()
  expect(asked).toEqual(asked.map(() => '$JS.API.CONSUMER.MSG.NEXT.READINGS.ingest-0'))
  expect(asked).toHaveLength(fetches)
})

test('a restarted consumer gets what was not acknowledged, and can acknowledge it', async () => {
  for (const text of numbered(120)) await publish(text)
  const first = await bus.readings.consume(0, 'ingest')
  await fetchThrough(first, 'm99')
  const second = await (await open()).readings.consume(0, 'ingest')
  const seen = await fetchThrough(second, 'm119')
  expect(texts(seen)).toEqual(numbered(120))
  for (const { sequence } of seen.filter((_, index) => index % 7 === 0)) {
    await second.acknowledge(sequence)
  }
  await second.acknowledge(seen.at(-1)?.sequence ?? 0)
  expect(await second.lag()).toEqual({ messages: 0, bytes: 0 })
})

test('the stream removes a message only when both consumers have acknowledged it', async () => {
  for (const text of numbered(20)) await publish(text)
  const held = async () => (await jsm.streams.info('READINGS')).state.messages
  const ingest = await bus.readings.consume(0, 'ingest')
  const assess = await bus.readings.consume(0, 'assess')
  const last = (await fetchThrough(ingest, 'm19')).at(-1)?.sequence ?? 0
  await fetchThrough(assess, 'm19')
  await ingest.acknowledge(last)
  expect(await held()).toBe(20)
  await assess.acknowledge(last)
  await vi.waitFor(async () => expect(await held()).toBe(0), patience)
})

test('repeats acknowledgements that the server forgot, also for messages read from the stream', async () => {
  for (const text of numbered(50)) await publish(text)
  await lose('ingest-0', 50)
  const consumer = await bus.readings.consume(0, 'ingest')
  const seen = await fetchThrough(consumer, 'm49')
  await server.pause()
  // these acknowledgements are lost, whatever happened to their messages
  const acknowledged = consumer.acknowledge(seen[29]?.sequence ?? 0)
  await server.kill()
  await acknowledged
  await server.start()
  await vi.waitFor(async () => {
    await consumer.fetch({ ...bounds, waitMs: 0 })
    expect((await consumer.lag()).messages).toBe(20)
  }, patience)
  await consumer.acknowledge(seen.at(-1)?.sequence ?? 0)
  expect(await consumer.lag()).toEqual({ messages: 0, bytes: 0 })
})

test('after any kill the server learns what was acknowledged, also of removed messages', async () => {
  // without an older message the server would detect this itself
  await publish('kept', 1)
  const consumers = [await bus.readings.consume(0, 'ingest'), await bus.readings.consume(0, 'assess')]
  for (let round = 0; round < 4; round++) {
    for (const n of numbered(20)) await publish(`${round}-${n}`)
    const seen = await Promise.all(consumers.map((consumer) => fetchThrough(consumer, `${round}-m19`)))
    // its disk has the deliveries, but not the acknowledgements just before the kill
    await setTimeout(400)
    for (const [at, consumer] of consumers.entries()) {
      await consumer.acknowledge(seen[at]?.at(-1)?.sequence ?? 0)
    }
    await server.kill()
    await server.start()
    // a new consumer knows only what the server reports
    if (round % 2 === 1)
      consumers[0] = await vi.waitFor(async () => (await open()).readings.consume(0, 'ingest'), patience)
    for (const consumer of consumers) {
      await vi.waitFor(async () => {
        const again = await consumer.fetch({ ...bounds, waitMs: 50 })
        await consumer.acknowledge(again.at(-1)?.sequence ?? 0)
        expect((await consumer.lag()).messages).toBe(0)
      }, patience)
    }
  }
})

test('detects and recreates a removed consumer', async () => {
  expect(await bus.consumers?.areOursThere()).toBe(true)
  await jsm.consumers.delete('READINGS', 'assess-7')
  expect(await bus.consumers?.areOursThere()).toBe(false)
  await bus.consumers?.declareOurs()
  expect(await bus.consumers?.areOursThere()).toBe(true)
})

test('detects and recreates removed streams, and reads the new one from its beginning', async () => {
  const consumer = await bus.readings.consume(1, 'ingest')
  await publish('m1', 1)
  expect(texts(await fetchThrough(consumer, 'm1'))).toEqual(['m1'])
  for (const stream of ['READINGS', 'ERRORS', 'KV_agents_fra']) await jsm.streams.delete(stream)
  await expect(publish('m2', 1)).rejects.toMatchObject({ name: 'BusUnavailable' })
  expect(await bus.consumers?.areOursThere()).toBe(false)
  await bus.consumers?.declareOurs()
  expect(await bus.consumers?.areOursThere()).toBe(true)
  await publish('m3', 1)
  await vi.waitFor(async () => expect(texts(await fetchThrough(consumer, 'm3'))).toEqual(['m3']))
})

test('an acknowledgement that was for a removed stream keeps none of the new one from being acknowledged', async () => {
  const consumer = await bus.readings.consume(1, 'assess')
  for (const text of numbered(5)) await publish(text, 1)
  const former = (await fetchThrough(consumer, 'm4')).at(-1)?.sequence ?? 0
  await jsm.streams.delete('READINGS')
  await bus.consumers?.declareOurs()
  // one that finds nothing asks, and the next one learns of the new stream
  for (let fetches = 0; fetches < 2; fetches++) {
    await vi.waitFor(async () => void (await consumer.fetch({ ...bounds, waitMs: 200 })), patience)
  }
  await consumer.acknowledge(former)
  await publish('anew', 1)
  const [message] = await fetchThrough(consumer, 'anew')
  expect(message?.sequence).toBeLessThan(former)
  await consumer.acknowledge(message?.sequence ?? 0)
  expect((await consumer.lag()).messages).toBe(0)
})

test('replays a range without other partitions in between', async () => {
  for (const text of numbered(6)) await publish(text, Number(text.slice(1)) % 2)
  const consumer = await bus.readings.consume(1, 'ingest')
  const seen = await fetchThrough(consumer, 'm5')
  const [first, last] = [seen[0]?.sequence ?? 0, seen[2]?.sequence ?? 0]
  expect(last - first + 1).toBe(5)
  expect(texts(await bus.readings.replay(1, first, last))).toEqual(['m1', 'm3', 'm5'])
})

test('refuses as unavailable when the stream is full', async () => {
  const data = new Uint8Array(500_000)
  const fill = async () => {
    for (let n = 0; n < 20; n++) {
      await bus.readings.publish({ partition: 0, region: 'fra', messageId: `f${n}`, data })
    }
  }
  await expect(fill()).rejects.toMatchObject({ name: 'BusUnavailable' })
})

test('a killed and restarted server loses nothing acknowledged or published', async () => {
  const consumer = await bus.readings.consume(0, 'ingest')
  const expected: string[] = []
  const seen: StreamMessage[] = []
  for (let round = 0; round < 3; round++) {
    for (const n of numbered(30)) {
      await publish(`${round}-${n}`)
      expected.push(`${round}-${n}`)
    }
    seen.push(...(await consumer.fetch({ ...bounds, messagesMax: 20 })))
    await consumer.acknowledge(seen.at(-5)?.sequence ?? 0)
    await server.kill()
    await vi.waitFor(() => expect(publish('x')).rejects.toMatchObject({ name: 'BusUnavailable' }), patience)
    await server.start()
    await vi.waitFor(() => publish(`back-${round}`), patience)
    expected.push(`back-${round}`)
  }
  seen.push(...(await fetchThrough(consumer, 'back-2')))
  expect(texts(seen)).toEqual(expected)
  await consumer.acknowledge(seen.at(-1)?.sequence ?? 0)
  await vi.waitFor(async () => {
    await consumer.fetch({ ...bounds, waitMs: 0 })
    expect((await consumer.lag()).messages).toBe(0)
  }, patience)
})

test('continues a watch after an outage with the changes in between', async () => {
  const [kept, removed, late] = [anAssignment(), anAssignment(), anAssignment()]
  await bus.assignments.put(kept)
  await bus.assignments.put(removed)
  const seen: string[] = []
  await bus.assignments.watch('fra', {
    onPut: ({ checkId }) => seen.push(`put ${checkId}`),
    onRemove: (checkId) => seen.push(`remove ${checkId}`),
    onCurrent: () => seen.push('current'),
  })
  await arrived(seen, 3)
  await server.kill()
  await server.start()
  await vi.waitFor(() => bus.assignments.put(late), patience)
  await vi.waitFor(() => bus.assignments.remove('fra', removed.checkId), patience)
  await until(() => seen.includes(`remove ${removed.checkId}`))
  await until(() => seen.includes(`put ${late.checkId}`))
  expect(seen.filter((line) => line === `put ${kept.checkId}`)).toHaveLength(1)
  expect(seen.filter((line) => line === 'current')).toHaveLength(1)
})

test('restores the streams of a server that lost its disk, and reads them from the start', async () => {
  const consumer = await bus.readings.consume(0, 'ingest')
  const seen: string[] = []
  const assignment = anAssignment()
  await bus.assignments.put(assignment)
  await bus.assignments.watch('fra', {
    onPut: () => seen.push('put'),
    onRemove: () => seen.push('remove'),
    onCurrent: () => seen.push('current'),
  })
  for (const text of numbered(5)) await publish(text)
  expect(await fetchThrough(consumer, 'm4')).toHaveLength(5)
  await arrived(seen, 2)
  await server.wipe()
  await server.start()
  await vi.waitFor(() => publish('anew'), patience)
  expect(texts(await fetchThrough(consumer, 'anew'))).toEqual(['anew'])
  await until(() => seen.at(-1) === 'remove')
})

test('is unavailable without any server', async () => {
  await server.kill()
  await expect(open()).rejects.toMatchObject({ name: 'BusUnavailable' })
  await server.start()
})

test('drops an agent that is silent for the TTL', async () => {
  const config = (await jsm.streams.info('KV_agents_fra')).config
  expect(config.max_age).toBe(nanos(15_000))
  // the server's clock decides, so the test shortens the TTL instead of waiting
  await jsm.streams.update('KV_agents_fra', {
    ...config,
    max_age: nanos(1_000),
    duplicate_window: nanos(1_000),
  })
  // a late check misses the moment, and retries
  await vi.waitFor(async () => {
    await bus.presence.announce({ agent: 'a b.c', region: 'fra', version: '1', startedAt: 0 })
    expect((await bus.presence.list('fra')).map(({ agent }) => agent)).toEqual(['a b.c'])
  }, patience)
  await vi.waitFor(async () => expect(await bus.presence.list('fra')).toEqual([]), patience)
})
