import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { busContract } from '../contract-suite.ts'
import { arrived } from '../contract-suite/fixtures.ts'
import { silentLogger } from '../logger.ts'
import type { Bus } from '../port.ts'
import { createDelivery } from './delivery.ts'
import { openInProcessBus } from './in-process-bus.ts'
import { createDedupWindow } from './partitioned-stream.ts'

const temporary = () => mkdtempSync(join(tmpdir(), 'probe-mesh-bus-'))

busContract('in-process', async () => {
  const directory = temporary()
  const buses = [await openInProcessBus({ directory })]
  const closeAll = async () => {
    for (const bus of buses) await bus.close()
  }
  const [bus] = buses
  if (bus === undefined) throw new Error('no bus was opened')
  return {
    bus,
    reopen: async () => {
      await closeAll()
      const reopened = await openInProcessBus({ directory })
      buses.push(reopened)
      return reopened
    },
    destroy: async () => {
      await closeAll()
      rmSync(directory, { recursive: true, force: true })
    },
  }
})

describe('the in-process bus', () => {
  let directory = ''
  let now = 1_000_000
  let bus: Bus
  beforeEach(async () => {
    directory = temporary()
    bus = await openInProcessBus({ directory, now: () => now })
  })
  afterEach(async () => {
    await bus.close()
    rmSync(directory, { recursive: true, force: true })
  })

  test('drops an agent 15 s after its last announcement, and no sooner', async () => {
    await bus.presence.announce({ agent: 'a', region: 'fra', version: '1', startedAt: 0 })
    now += 14_999
    expect(await bus.presence.list('fra')).toHaveLength(1)
    now += 1
    expect(await bus.presence.list('fra')).toHaveLength(0)
  })

  test('removes a message only when both consumers have acknowledged it', async () => {
    const signal = new AbortController().signal
    const data = Buffer.alloc(1024 * 1024)
    for (let n = 0; n < 20; n++) {
      await bus.readings.publish({ partition: 0, region: 'fra', messageId: `m${n}`, data })
    }
    const segments = () =>
      readdirSync(join(directory, 'readings', '0')).filter((name) => name.endsWith('.log')).length
    const before = segments()
    const ingest = await bus.readings.consume(0, 'ingest')
    await ingest.acknowledge(20)
    expect(segments()).toBe(before)
    const assess = await bus.readings.consume(0, 'assess')
    const waitMs = 1
    const all = await assess.fetch({ messagesMax: 100, bytesMax: 2 ** 30, waitMs, signal })
    expect(all).toHaveLength(20)
    await assess.acknowledge(20)
    expect(segments()).toBe(1)
  })

  test('refuses as unavailable when a partition is full', async () => {
    const data = Buffer.alloc(4 * 1024 * 1024)
    const publish = (n: number) =>
      bus.readings.publish({ partition: 0, region: 'fra', messageId: `m${n}`, data })
    for (let n = 0; n < 23; n++) await publish(n)
    await expect(publish(23)).rejects.toMatchObject({ name: 'BusUnavailable' })
    await (await bus.readings.consume(0, 'ingest')).acknowledge(23)
    await (await bus.readings.consume(0, 'assess')).acknowledge(23)
    expect(await publish(23)).toEqual({ sequence: 24, duplicate: false })
  })
})

describe('the deduplication window', () => {
  test('forgets by age and by count, the oldest first', () => {
    let now = 0
    const window = createDedupWindow({ countMax: 2, ageMsMax: 100, now: () => now })
    window.add('a', 1)
    now = 100
    expect(window.find('a')).toBe(1)
    now = 101
    expect(window.find('a')).toBeUndefined()
    for (const [index, id] of ['b', 'c', 'd'].entries()) window.add(id, index)
    expect([window.find('b'), window.find('c'), window.find('d')]).toEqual([undefined, 1, 2])
  })
})

describe('a delivery', () => {
  test('keeps the newest values for a slow handler and counts the dropped ones', async () => {
    const seen: number[] = []
    const delivery = createDelivery<number, number>({
      snapshot: [],
      onSnapshotEnd: () => undefined,
      deliver: (_, value) => seen.push(value),
      pendingMax: 3,
      log: silentLogger,
    })
    for (let n = 1; n <= 10; n++) delivery.offer(n, n)
    await arrived(seen, 3)
    expect(seen).toEqual([8, 9, 10])
    expect(delivery.dropped()).toBe(7)
  })
})
