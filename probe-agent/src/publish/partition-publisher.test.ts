import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { arrived } from '@probe-mesh/bus/src/contract-suite/fixtures'
import { openLog, type Log } from '@probe-mesh/bus/log/log'
import { silentLogger } from '@probe-mesh/bus/logger'
import { BusUnavailable, type Readings } from '@probe-mesh/bus/port'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { setTimer, type SetTimer } from '../schedule/set-timer.ts'
import type { Worth } from './block-age.ts'
import { createPartitionPublisher, republishMs, type PublishOutcome } from './partition-publisher.ts'

let directory = ''
let spool: Log
let now = 0
beforeEach(() => {
  now = 1_000_000
  directory = mkdtempSync(join(tmpdir(), 'probe-mesh-lane-'))
  const sizes = { bytesMax: 100_000, segmentBytesMax: 10_000 }
  spool = openLog({ directory, ...sizes, whenFull: 'drop-oldest', now: () => now })
})
afterEach(() => {
  spool.close()
  rmSync(directory, { recursive: true, force: true })
})

const open = (publish?: Readings['publish'], timer: SetTimer = setTimer) => {
  const published: string[] = []
  const afters: unknown[] = []
  const outcomes: PublishOutcome[] = []
  let batch = 0
  const lane = createPartitionPublisher({
    agent: 'fra-1',
    region: 'fra',
    partition: 0,
    spool,
    readings: {
      publish:
        publish ??
        (async ({ messageId, data }) => {
          const { after, readings } = JSON.parse(Buffer.from(data).toString())
          afters.push(after)
          published.push(`${messageId} ${readings.join()}`)
          return { sequence: published.length, duplicate: false }
        }),
    },
    nextBatch: () => ++batch,
    now: () => now,
    setTimer: timer,
    random: () => 0,
    log: silentLogger,
    onOutcome: (outcome) => outcomes.push(outcome),
  })
  return { lane, published, afters, outcomes }
}

describe('a partition publisher', () => {
  test('publishes everything again without marks, with doubling pauses', async () => {
    const { lane, published } = open()
    spool.append(Buffer.from('1'))
    await lane.flush()
    const waits = []
    for (let waitedMs = 0; waits.length < 4; waitedMs += 10_000) {
      now += 10_000
      lane.republishSilent()
      const before = published.length
      await lane.flush()
      if (published.length > before) {
        waits.push(waitedMs + 10_000)
        waitedMs = -10_000
      }
    }
    expect(waits).toEqual([60_000, 120_000, 240_000, 480_000])
    expect(published).toEqual([1, 2, 3, 4, 5].map((batch) => `fra-1:0:${batch} 1`))
    await lane.close()
  })

  test('keeps a message that is refused for now, and retries no sooner than requested', async () => {
    const tries: string[] = []
    let isRefused = true
    const { lane } = open(async ({ messageId }) => {
      tries.push(messageId)
      if (isRefused) throw new BusUnavailable('over the budget', { waitMs: 600_000 })
      return { sequence: 1, duplicate: false }
    })
    spool.append(Buffer.from('1'))
    const flushed = lane.flush()
    // without the requested pause it would retry in the next turn
    for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(tries).toEqual(['fra-1:0:1'])
    isRefused = false
    lane.hurry()
    await flushed
    expect(tries).toEqual(['fra-1:0:1', 'fra-1:0:1'])
    expect(spool.last - spool.first).toBe(0)
    await lane.close()
  })

  test('each message names its predecessor, and a new pass starts with none', async () => {
    const { lane, afters } = open()
    for (let n = 0; n < 250; n++) spool.append(Buffer.from('1'))
    await lane.flush()
    now += republishMs.first
    lane.republishSilent()
    await lane.flush()
    expect(afters).toEqual([null, 1, 2, null, 4, 5])
    await lane.close()
  })

  test('a mark resets the pause', async () => {
    const { lane, published, outcomes } = open()
    spool.append(Buffer.from('1'))
    await lane.flush()
    lane.mark(1)
    now += republishMs.last
    lane.republishSilent()
    await lane.flush()
    expect(published).toEqual(['fra-1:0:1 1'])
    expect(outcomes).toEqual(['published'])
    expect(spool.count).toBe(0)
    await lane.close()
  })

  test('skips readings that the spool dropped before they were published', async () => {
    const { lane, published } = open()
    for (let n = 1; n <= 20; n++) spool.append(Buffer.from(`${n}`.padEnd(8_000)))
    expect(spool.first).toBeGreaterThan(1)
    const kept = Array.from({ length: spool.count }, (_, n) => spool.first + n).join()
    await lane.flush()
    expect(published).toEqual([`fra-1:0:1 ${kept}`])
    await lane.close()
  })

  test('retries after other errors, too, and counts them separately', async () => {
    const { lane, outcomes } = open(async () => {
      throw new TypeError('a bug of the bus')
    })
    spool.append(Buffer.from('1'))
    const flushing = lane.flush()
    await arrived(outcomes, 3)
    await lane.close()
    await flushing
    expect(new Set(outcomes)).toEqual(new Set(['failed']))
    expect(spool.count).toBe(1)
  })

  describe('with an open block', () => {
    let timers: { delayMs: number; fire: () => void }[]
    const byHand: SetTimer = (delayMs, fire) => {
      const timer = { delayMs, fire }
      timers.push(timer)
      return () => void (timers = timers.filter((one) => one !== timer))
    }
    const delays = () => timers.map(({ delayMs }) => delayMs)
    /** Publishes one reading, and knows from then on that one comes each second. */
    const openQuiet = async () => {
      timers = []
      const opened = open(undefined, byHand)
      for (const text of ['1', '2']) {
        spool.append(Buffer.from(text))
        await opened.lane.flush()
        now += 1_000
      }
      return opened
    }
    const add = (text: string, lane: ReturnType<typeof open>['lane'], worth: Worth): void => {
      spool.append(Buffer.from(text))
      lane.wake(worth)
    }

    test('waits 5 s where nothing is measured, a second where little comes, and 0.2 s from the first news in it', async () => {
      const { lane, published } = await openQuiet()
      add('3', lane, 'repeat')
      expect(delays()).toEqual([5_000])
      add('4', lane, 'up')
      expect(delays()).toEqual([1_000])
      add('5', lane, 'news')
      add('6', lane, 'repeat')
      add('7', lane, 'news')
      expect(delays()).toEqual([200])
      timers[0]?.fire()
      await arrived(published, 3)
      expect(published.at(-1)).toBe('fra-1:0:3 3,4,5,6,7')
      await lane.close()
    })

    test('publishes it at once when it is full, and when the agent stops', async () => {
      const { lane, published } = await openQuiet()
      for (let n = 0; n < 100; n++) add('3', lane, 'up')
      await arrived(published, 3)
      add('4', lane, 'up')
      await lane.flush()
      expect(published.at(-1)).toBe('fra-1:0:4 4')
      await lane.close()
    })

    test('leaves it to the next life when it is killed', async () => {
      const killed = await openQuiet()
      for (const batch of [1, 2]) killed.lane.mark(batch)
      add('3', killed.lane, 'up')
      await killed.lane.close()
      expect(killed.published).toHaveLength(2)
      const { lane, published } = open()
      lane.wake('news')
      await arrived(published, 1)
      expect(published).toEqual(['fra-1:0:1 3'])
      await lane.close()
    })
  })
})
