import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { quarantineBroadcastMs, quarantineValidMs } from '@probe-mesh/contracts/mesh/events'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openQuarantineBoard, type QuarantineBoard } from './quarantine-board.ts'

let folder: string
let bus: Bus
let one: QuarantineBoard
let other: QuarantineBoard
let nowMs: number
beforeEach(async () => {
  folder = testFolder('board-')
  bus = await openInProcessBus({ directory: folder })
  nowMs = 1_700_000_000_000
  const open = () => openQuarantineBoard({ events: bus.events, liveRegions: 4, now: () => nowMs })
  one = await open()
  other = await open()
})
afterEach(async () => {
  await Promise.all([one.close(), other.close()])
  await bus.close()
})

test('a quarantine applies at once here, and in the other control planes', async () => {
  one.publish([{ region: 'fra', sinceMs: nowMs }])
  expect(one.isQuarantined('fra')).toBe(true)
  expect(one.isReportedByOthers('fra')).toBe(false)
  await vi.waitFor(() => expect(other.isQuarantined('fra')).toBe(true))
  expect(other.isReportedByOthers('fra')).toBe(true)
  other.publish([{ region: 'nrt', sinceMs: nowMs }])
  expect(other.regions()).toEqual(['fra', 'nrt'])
  one.publish([])
  expect(one.isQuarantined('fra')).toBe(false)
  await vi.waitFor(() => expect(other.regions()).toEqual(['nrt']))
})

test('a silent control plane is trusted for a while, and shows as silent earlier', async () => {
  one.publish([{ region: 'fra', sinceMs: nowMs }])
  await vi.waitFor(() => expect(other.isQuarantined('fra')).toBe(true))
  nowMs += 2 * quarantineBroadcastMs + 1
  expect(other.isReportedByOthers('fra')).toBe(false)
  nowMs += quarantineValidMs - 2 * quarantineBroadcastMs - 1
  expect(other.isQuarantined('fra')).toBe(true)
  nowMs += 1
  expect(other.isQuarantined('fra')).toBe(false)
  expect(other.regions()).toEqual([])
})

test('ignores other messages', async () => {
  bus.events.publish('quarantined_regions', { teller: 'x', regions: ['Frankfurt'] })
  bus.events.publish('quarantined_regions', null)
  one.publish([{ region: 'iad', sinceMs: nowMs }])
  await vi.waitFor(() => expect(other.regions()).toEqual(['iad']))
})

test('beyond the limit, the most recent control planes count', async () => {
  for (let n = 0; n < 101; n++) {
    const regions = n === 0 ? ['fra'] : ['iad']
    bus.events.publish('quarantined_regions', { teller: `teller ${n}`, regions })
  }
  one.publish([{ region: 'nrt', sinceMs: nowMs }])
  await vi.waitFor(() => expect(other.regions()).toEqual(['iad', 'nrt']))
})

test('never a majority: the first regions to fail lose their votes, in every control plane', async () => {
  one.publish([
    { region: 'fra', sinceMs: nowMs - 1_000 },
    { region: 'nrt', sinceMs: nowMs - 3_000 },
  ])
  other.publish([
    { region: 'iad', sinceMs: nowMs - 2_000 },
    { region: 'sjc', sinceMs: nowMs - 1_000 },
  ])
  for (const board of [one, other]) {
    await vi.waitFor(() => expect(board.regions()).toEqual(['iad', 'nrt']))
    expect(board.isQuarantined('fra')).toBe(false)
    expect(board.isQuarantined('nrt')).toBe(true)
  }
  // when one of them returns, the next one loses its votes
  one.publish([{ region: 'fra', sinceMs: nowMs - 1_000 }])
  for (const board of [one, other]) {
    await vi.waitFor(() => expect(board.regions()).toEqual(['fra', 'iad']))
  }
})
