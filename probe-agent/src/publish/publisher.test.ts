import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { aReading, until } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { silentLogger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Bus, type Readings } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { partitionOf, partitions } from '@probe-mesh/contracts/mesh/subjects'
import { readingId, ReadingsMessage, type Reading } from '@probe-mesh/contracts/reading/reading'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { encodeReading, openSpool, type Spool } from './spool/spool.ts'
import { createPublisher, type Publisher } from './publisher.ts'

let directory = ''
let bus: Bus
let lives: { spool: Spool; publisher: Publisher }[] = []

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-publisher-'))
  bus = await openInProcessBus({ directory: join(directory, 'bus') })
})
afterEach(async () => {
  for (const { publisher, spool } of lives) await end({ publisher, spool })
  lives = []
  await bus.close()
  rmSync(directory, { recursive: true, force: true })
})

const end = async ({ publisher, spool }: { publisher: Publisher; spool: Spool }) => {
  await publisher.close()
  spool.close()
}

/** A publisher over the spool of this test: one agent process. */
const live = (over: { readings?: Readings; sentMax?: number; now?: () => number } = {}) => {
  const now = over.now ?? Date.now
  const spool = openSpool({ directory: join(directory, 'spool'), bytesMax: 2 ** 24, now })
  const outcomes: string[] = []
  const publisher = createPublisher({
    agent: 'fra-1',
    region: 'fra',
    directory: join(directory, 'spool'),
    spool,
    bus: { ...bus, readings: over.readings ?? bus.readings },
    now,
    random: () => 0,
    log: silentLogger,
    onOutcome: (outcome) => outcomes.push(outcome),
    ...(over.sentMax === undefined ? {} : { sentMax: over.sentMax }),
  })
  lives.push({ spool, publisher })
  const say = (reading: Reading) => {
    const encoded = encodeReading(reading)
    spool.append(encoded)
    publisher.wake(encoded.partition, reading)
  }
  return { spool, publisher, say, outcomes }
}

const signal = new AbortController().signal

/** All messages in the stream, of every partition, from the start. */
const inStream = async (): Promise<ReadingsMessage[]> => {
  const messages = []
  for (const partition of partitions) {
    const consumer = await bus.readings.consume(partition, 'assess')
    const fetched = await consumer.fetch({
      messagesMax: 10_000,
      bytesMax: 2 ** 30,
      waitMs: 0,
      signal,
    })
    messages.push(...fetched)
    await consumer.close()
  }
  return messages.map(({ data }) => ReadingsMessage.parse(JSON.parse(Buffer.from(data).toString())))
}

/** Ids of readings; the casts are safe, since this test published them. */
const idsOf = (messages: ReadingsMessage[]): string[] =>
  messages.flatMap(({ readings }) => (readings as Reading[]).map(readingId))

const manyReadings = (count: number) =>
  Array.from({ length: count }, (_, n) => aReading({ slot: 1_700_000_000_000 + n }))

/** Readings of one check, so of one partition, with distinct slots. */
const readingsOfOneCheck = (count: number) => {
  const { checkId } = aReading()
  return manyReadings(count).map((reading) => ({ ...reading, checkId }))
}

describe('the publisher', () => {
  test('loses and repeats nothing while the bus fails at random, before or after it accepts a message', async () => {
    let seed = 1
    const chance = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    const publish: Readings['publish'] = async (message) => {
      if (chance() < 0.4) throw new BusUnavailable('away')
      const taken = await bus.readings.publish(message)
      if (chance() < 0.4) throw new BusUnavailable('the answer was lost')
      return taken
    }
    const { publisher, say, outcomes } = live({ readings: { ...bus.readings, publish } })
    const readings = manyReadings(3_000)
    for (const reading of readings) say(reading)
    await publisher.flush()
    const messages = await inStream()
    expect(idsOf(messages).toSorted()).toEqual(readings.map(readingId).toSorted())
    for (const partition of partitions) {
      const expected = readings.filter(({ checkId }) => partitionOf(checkId) === partition)
      const published = messages.filter((message) => message.partition === partition)
      expect(idsOf(published)).toEqual(expected.map(readingId))
    }
    expect(outcomes).toContain('unavailable')
    expect(outcomes).toContain('duplicate')
  })

  test('sends a partial message after a while', async () => {
    const { publisher, say } = live()
    say(aReading())
    await until(() => publisher.sentCount === 1)
    expect(idsOf(await inStream())).toHaveLength(1)
  })

  test('limits messages to a hundred readings', async () => {
    const { publisher, say } = live()
    for (const reading of readingsOfOneCheck(250)) say(reading)
    await publisher.flush()
    expect((await inStream()).map(({ readings }) => readings.length)).toEqual([100, 100, 50])
  })

  test('publishes all unstored readings of the previous process, with higher batch numbers', async () => {
    const first = live({ now: () => 5_000_000 })
    const readings = readingsOfOneCheck(150)
    for (const reading of readings) first.say(reading)
    await first.publisher.flush()
    await end(first)
    const before = await inStream()

    const second = live({ now: () => 1_000 })
    await second.publisher.flush()
    const after = (await inStream()).slice(before.length)
    expect(idsOf(after)).toEqual(readings.map(readingId))
    expect(Math.min(...after.map(({ batch }) => batch))).toBeGreaterThan(
      Math.max(...before.map(({ batch }) => batch)),
    )
  })

  test('does not repeat batch numbers after it lost its directory', async () => {
    const first = live({ now: () => 5_000_000 })
    first.say(aReading())
    await first.publisher.flush()
    await end(first)
    const [before] = await inStream()
    rmSync(join(directory, 'spool'), { recursive: true })

    const second = live({ now: () => 5_001_000 })
    second.say(aReading())
    await second.publisher.flush()
    const batches = (await inStream()).map(({ batch }) => batch).filter((n) => n !== before?.batch)
    expect(batches).toHaveLength(1)
    expect(batches[0]).toBeGreaterThan(before?.batch ?? Number.POSITIVE_INFINITY)
  })

  test('releases stored readings from the spool and keeps the others', async () => {
    const { publisher, say, spool } = live()
    const readings = readingsOfOneCheck(250)
    const partition = partitionOf(readings[0]?.checkId ?? '')
    for (const reading of readings) say(reading)
    await publisher.flush()
    const [first, second, third] = await inStream()
    expect(spool.stats().readings).toBe(250)
    await bus.persisted.mark('fra', 'fra-1', partition, second?.batch ?? 0)
    await until(() => spool.stats().readings === 50)
    await bus.persisted.mark('fra', 'fra-1', partition, first?.batch ?? 0)
    await bus.persisted.mark('fra', 'fra-1', partition, third?.batch ?? 0)
    await until(() => spool.stats().readings === 0)
    expect(publisher.sentCount).toBe(0)
  })

  test('keeps readings on disk while too many messages are unmarked, and continues after a mark', async () => {
    const { publisher, say, spool } = live({ sentMax: 2 })
    const readings = readingsOfOneCheck(350)
    const partition = partitionOf(readings[0]?.checkId ?? '')
    for (const reading of readings) say(reading)
    await publisher.flush()
    const messages = await inStream()
    expect(messages).toHaveLength(2)
    expect(spool.stats().readings).toBe(350)
    await bus.persisted.mark('fra', 'fra-1', partition, messages[0]?.batch ?? 0)
    await until(() => spool.stats().readings === 250 && publisher.sentCount === 2)
    expect(await inStream()).toHaveLength(3)
  })

  test('drops `up` readings first if the disk refuses readings', async () => {
    const { publisher } = live()
    const readings = readingsOfOneCheck(1_003)
    const [outage, full, another] = readings.slice(1_000)
    const took = (reading: Reading) => publisher.addUnspooled(encodeReading(reading))
    for (const reading of readings.slice(0, 1_000)) expect(took(reading)).toBe(true)
    if (outage === undefined || full === undefined || another === undefined) throw new Error()
    expect(took({ ...outage, verdict: 'down' })).toBe(false)
    expect(took(full)).toBe(false)
    expect(took({ ...another, verdict: 'blocked' })).toBe(false)
    await publisher.flush()
    // the first message is in flight: its readings are not dropped
    const sending = limits.readingsPerMessageMax
    const before = [...readings.slice(0, sending), ...readings.slice(sending + 2, 1_000)]
    const kept = [...before, outage, another]
    expect(idsOf(await inStream())).toEqual(kept.map(readingId))
  })

  test('publishes readings that the disk refuses from memory, up to a limit', async () => {
    const { publisher, spool } = live()
    const readings = readingsOfOneCheck(1_001)
    const taken = readings.map((reading) => publisher.addUnspooled(encodeReading(reading)))
    expect(taken.filter((each) => each)).toHaveLength(1_000)
    expect(taken.at(-1)).toBe(false)
    await publisher.flush()
    expect(idsOf(await inStream())).toEqual(readings.slice(0, 1_000).map(readingId))
    expect(spool.stats().readings).toBe(0)
  })
})
