import { privateRegion } from '@probe-mesh/contracts/reading/private-region'
import { BusUnavailable, type StreamMessage } from '@probe-mesh/bus/port'
import type { Reading } from '@probe-mesh/contracts/reading/reading'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import pino from 'pino'
import { expect, test } from 'vitest'
import { createReadingsReader } from '../../readings/first-read/first-reader.ts'
import { createSetAside } from '../../readings/poison.ts'
import { newCheckState } from '../../status/state.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'
import { isSettled, type AssessContext, type Holding } from './context.ts'
import { followPartition } from './follow-partition.ts'

const startMs = 1_700_000_000_000
const second = 1_000
const lease = { partition: 0, epoch: 1 }
const office = privateRegion('01890000-0000-7000-8000-000000000009')

const checkIn = (...regions: string[]): AssessedCheck => ({
  checkId,
  accountId: 'a',
  name: 'test',
  host: 'example.com',
  regions,
  intervalSeconds: 10,
  paused: false,
  state: newCheckState,
})

/** A control plane that acquired the partition of a check, on a manual clock. */
const plane = (check: AssessedCheck, takenAtMs = startMs) => {
  const clock = { nowMs: takenAtMs }
  const state = createAssessmentState(() => clock.nowMs)
  state.load(check, lease)
  const holding = { takenAtMs, caughtUp: false }
  const changes: string[] = []
  const settle = (): void => {
    for (const write of state.flips()) {
      changes.push(...write.flips.map(({ change }) => change.to))
      state.settle(write)
    }
  }
  const isReady = (each: AssessedCheck): boolean => isSettled(holding, each, clock.nowMs)
  return {
    clock,
    holding,
    changes,
    judge: (readings: readonly Reading[]): void => {
      for (const reading of readings) state.observe(reading, isReady)
      settle()
    },
    sweep: (): void => {
      state.sweep(isReady)
      settle()
    },
  }
}
const measured = (
  regions: readonly string[],
  fromMs: number,
  toMs: number,
  fails: (atMs: number) => boolean = () => false,
) => {
  const readings: Reading[] = []
  for (let atMs = fromMs; atMs <= toMs; atMs += 10 * second) {
    for (const [at, region] of regions.entries()) {
      readings.push(readingAt(region, fails(atMs) ? 'down' : 'up', atMs + at * 300))
    }
  }
  return readings
}

test('a private agent has 45 s to find the control planes again and to deliver what it measured', () => {
  const { clock, holding, changes, judge, sweep } = plane(checkIn(office))
  judge([readingAt(office, 'up', startMs)])
  // away for 300 s
  holding.takenAtMs = startMs + 300 * second
  holding.caughtUp = true
  clock.nowMs = holding.takenAtMs + 44 * second
  sweep()
  expect(changes).toEqual(['operational'])
  const failing = (atMs: number): boolean => atMs > startMs + 100 * second && atMs < startMs + 150 * second
  judge(measured([office], startMs + 10 * second, clock.nowMs, failing))
  expect(changes).toEqual(['operational', 'down', 'operational'])
  clock.nowMs += 60 * second
  sweep()
  expect(changes.at(-1)).toBe('stale')
})

test('the agents of the mesh have 10 s, and a paused check does not wait for a private one', () => {
  const held = { caughtUp: true, takenAtMs: startMs }
  const settledAfter = (check: Pick<AssessedCheck, 'regions' | 'paused'>): number | undefined =>
    Array.from({ length: 400 }, (_, seconds) => seconds).find((seconds) =>
      isSettled(held, check, startMs + seconds * second),
    )
  expect(settledAfter({ regions: ['fra'], paused: false })).toBe(10)
  expect(settledAfter({ regions: ['fra', office], paused: false })).toBe(45)
  expect(settledAfter({ regions: [office], paused: true })).toBe(10)
})

test('a private agent has its time from when it can deliver', () => {
  const held = { caughtUp: true, takenAtMs: startMs }
  const check = { regions: [office], paused: false }
  const settled = (seconds: number, servingSinceMs: number | null) =>
    isSettled(held, check, startMs + seconds * second, servingSinceMs)
  expect(settled(299, null)).toBe(false)
  expect(settled(300, null)).toBe(true)
  expect(settled(104, startMs + 60 * second)).toBe(false)
  expect(settled(105, startMs + 60 * second)).toBe(true)
  // it has served for long when it acquires the partition
  expect(settled(45, startMs - 60 * second)).toBe(true)
})

test('a backlog that cannot be read holds back silence for at most 5 min', () => {
  const { clock, changes, judge, sweep } = plane(checkIn('fra'))
  judge([readingAt('fra', 'up', startMs)])
  clock.nowMs = startMs + 299 * second
  sweep()
  expect(changes).toEqual(['operational'])
  clock.nowMs = startMs + 300 * second
  sweep()
  expect(changes).toEqual(['operational', 'stale'])
})

test('with any absence, an outage is down once and operational once, and nothing is stale', () => {
  const regions = ['fra', 'iad', 'nrt']
  const slots = fc.integer({ min: 3, max: 12 })
  const arbitrary = fc.record({
    leftSlot: fc.integer({ min: 1, max: 30 }),
    absentSeconds: fc.integer({ min: 1, max: 400 }),
    failsFromSlot: fc.integer({ min: 3, max: 40 }),
    failsSlots: slots,
  })
  forAll([arbitrary], { numRuns: 100 }, ({ leftSlot, absentSeconds, failsFromSlot, failsSlots }) => {
    const failing = (atMs: number): boolean => {
      const slot = (atMs - startMs) / (10 * second)
      return slot >= failsFromSlot && slot < failsFromSlot + failsSlots
    }
    const endMs = startMs + 1_000 * second
    const all = measured(regions, startMs, endMs, failing)
    const leftMs = startMs + leftSlot * 10 * second
    const backMs = leftMs + absentSeconds * second
    const { clock, holding, changes, judge, sweep } = plane(checkIn(...regions))
    holding.caughtUp = true
    holding.takenAtMs = startMs - 60 * second
    const live = (readings: readonly Reading[]): void => {
      for (const reading of readings) {
        clock.nowMs = reading.measuredAt + 500
        judge([reading])
        sweep()
      }
    }
    live(all.filter(({ measuredAt }) => measuredAt < leftMs))
    holding.takenAtMs = backMs
    holding.caughtUp = false
    clock.nowMs = backMs
    sweep()
    judge(all.filter(({ measuredAt }) => measuredAt >= leftMs && measuredAt < backMs))
    holding.caughtUp = true
    sweep()
    live(all.filter(({ measuredAt }) => measuredAt >= backMs))
    expect(changes.filter((to) => to !== 'degraded')).toEqual(['operational', 'down', 'operational'])
  })
})

/** Follows a partition whose stream delivers these, and then nothing. */
const follow = async (deliveries: readonly (readonly StreamMessage[] | Error)[]) => {
  const rest = [...deliveries]
  const closing = new AbortController()
  const events: string[] = []
  const nothing = { inc: () => undefined }
  const holding = {
    lease,
    signal: closing.signal,
    takenAtMs: startMs,
    caughtUp: false,
    processed: null,
    consumer: {
      fetch: async () => {
        const next = rest.shift()
        if (next === undefined) closing.abort()
        if (next instanceof Error) throw next
        return next ?? []
      },
    },
  } as unknown as Holding
  const context = {
    assessmentState: {
      has: () => true,
      observe: ({ measuredAt }: Reading) => {
        events.push(`judged ${measuredAt}`)
        return null
      },
    },
    watch: { note: () => undefined },
    metrics: { readings: nothing },
    decode: ({ sequence }: StreamMessage) => ({ readings: [readingAt('fra', 'up', 1_000 - sequence)] }),
    log: pino({ level: 'silent' }),
    now: () => startMs,
    setAside: createSetAside(),
    firstReader: createReadingsReader(),
    flips: async () => {
      events.push(`recorded, ${holding.caughtUp ? 'caught up' : 'behind'}`)
    },
  } as unknown as AssessContext & Parameters<typeof followPartition>[0]
  await followPartition(context, holding)
  return { events, holding }
}
const message = (sequence: number, bytes = 10): StreamMessage => ({
  partition: 0,
  sequence,
  data: new Uint8Array(bytes),
  storedAt: startMs,
})

test('judges the whole backlog in the order of measurement, and records its flips together', async () => {
  const { events, holding } = await follow([[message(1)], [message(2)], [], [message(3)]])
  expect(events).toEqual([
    'judged 998',
    'judged 999',
    'recorded, behind',
    'judged 997',
    'recorded, caught up',
  ])
  expect(holding).toMatchObject({ caughtUp: true, processed: 3 })
})

test('an empty stream is caught up at once', async () => {
  const { events, holding } = await follow([[]])
  expect(events).toEqual([])
  expect(holding).toMatchObject({ caughtUp: true, processed: null })
})

test('a large backlog is judged in parts', async () => {
  const { events } = await follow([[message(1, 4 * 1024 * 1024)], [message(2)], []])
  expect(events).toEqual(['judged 999', 'recorded, behind', 'judged 998', 'recorded, behind'])
})

test('loses nothing of a backlog when the bus fails in between', async () => {
  const { events } = await follow([[message(1)], new BusUnavailable('away'), [message(2)], []])
  expect(events).toEqual(['judged 998', 'judged 999', 'recorded, behind'])
})
