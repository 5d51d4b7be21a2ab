import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { AccountEvent, watchedMs } from '@probe-mesh/contracts/mesh/events'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLiveReadings, type LiveReadings } from './live-readings.ts'
import { readingAt } from '../status/testing.ts'

let directory: string
let bus: Bus
let live: LiveReadings
let nowMs: number
let told: string[]
let heard: number

beforeEach(async () => {
  directory = testFolder('live-')
  bus = await openInProcessBus({ directory })
  nowMs = 1_000_000
  told = []
  heard = 0
  live = await openLiveReadings({ events: bus.events, now: () => nowMs })
  await bus.events.subscribe('watching', () => {
    heard += 1
  })
  await bus.events.subscribe('reading', (payload) => {
    told.push(AccountEvent.parse(payload).accountId)
  })
})
afterEach(async () => {
  await live.close()
  await bus.close()
})

/** Resolves when all earlier listeners have received it. */
const watch = async (accountIds: unknown): Promise<void> => {
  const before = heard
  bus.events.publish('watching', { accountIds })
  await vi.waitFor(() => expect(heard).toBe(before + 1))
}
const becomes = (expected: string[]) => vi.waitFor(() => expect(told).toEqual(expected))
const [seen, unseen] = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002']
const rows = [seen, unseen].map((checkId) => ({
  reading: { ...readingAt('fra', 'up', 1), checkId },
  agent: 'fra-1',
  receivedAtMs: 1,
  rawDays: 1,
  hourDays: 1,
}))
const facts = new Map([
  [seen, { accountId: 'seen' }],
  [unseen, { accountId: 'unseen' }],
])

test('publishes readings only to accounts with an open stream', async () => {
  live.publish(rows, facts)
  await watch(['seen'])
  live.publish(rows, facts)
  await becomes(['seen'])
})

test('stops publishing to an account without an open stream', async () => {
  await watch(['seen'])
  live.publish(rows, facts)
  await becomes(['seen'])
  nowMs += watchedMs + 1
  live.publish(rows, facts)
  await watch(['unseen'])
  live.publish(rows, facts)
  await becomes(['seen', 'unseen'])
})

test('ignores a notice that is not a list of accounts', async () => {
  await watch('seen')
  await watch(['unseen'])
  live.publish(rows, facts)
  await becomes(['unseen'])
})
