import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { Bus } from '@probe-mesh/bus/port'
import { testFolder } from '@probe-mesh/infra/testing/folder'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openLiveStates, type LiveStates } from './live-states.ts'
import { newCheckState, newRegionState, type CheckState } from './state.ts'
import { checkId } from './testing.ts'

const atMs = 1_700_000_000_000
const measured = (fraAtMs: number, iadAtMs: number, version = 1): CheckState => ({
  ...newCheckState,
  status: 'operational',
  version,
  regions: {
    fra: { ...newRegionState, verdict: 'up', measuredAt: fraAtMs },
    iad: { ...newRegionState, verdict: 'up', measuredAt: iadAtMs },
  },
})
const timesOf = ({ regions }: CheckState) => [regions['fra']?.measuredAt, regions['iad']?.measuredAt]
const row = measured(atMs, atMs)

let bus: Bus
let opened: LiveStates[]
let nowMs: number
beforeEach(async () => {
  bus = await openInProcessBus({ directory: testFolder('live-states-') })
  opened = []
  nowMs = atMs
})
afterEach(async () => {
  for (const states of opened) await states.close()
  await bus.close()
})
const open = async (): Promise<LiveStates> => {
  const states = await openLiveStates({ events: bus.events, now: () => nowMs })
  opened.push(states)
  return states
}

test('an answer of the owner has what it measured since the row, and no reading that is older than it', async () => {
  const states = await open()
  expect(states.freshen(checkId, row)).toBe(row)
  states.follow(() => measured(atMs + 60_000, atMs - 60_000))
  expect(timesOf(states.freshen(checkId, row))).toEqual([atMs + 60_000, atMs])
})

test('a flip is answered when its row has it', async () => {
  const states = await open()
  states.follow(() => measured(atMs + 60_000, atMs, 2))
  expect(states.freshen(checkId, row)).toBe(row)
  expect(timesOf(states.freshen(checkId, measured(atMs, atMs, 2)))).toEqual([atMs + 60_000, atMs])
})

test('another control plane answers the same once it was told, and one alone tells nobody', async () => {
  const owner = await open()
  const heard: unknown[] = []
  await bus.events.subscribe('states_told', (payload) => heard.push(payload))
  expect(owner.wanted()).toBe('no')
  const other = await open()
  await vi.waitFor(() => expect(owner.wanted()).toBe('new'))
  expect(owner.wanted()).toBe('yes')
  owner.tell([{ checkId, state: measured(atMs + 60_000, atMs) }])
  await vi.waitFor(() => expect(timesOf(other.freshen(checkId, row))).toEqual([atMs + 60_000, atMs]))
  // of another flip than the row
  const flipped = measured(atMs, atMs, 2)
  expect(other.freshen(checkId, flipped)).toBe(flipped)
  nowMs += 15_001
  expect(owner.wanted()).toBe('no')
  expect(heard).toHaveLength(1)
})

test('a row that was written since wins over what was told before it, and older news over nothing', async () => {
  const [owner, formerOwner, other] = [await open(), await open(), await open()]
  await vi.waitFor(() => expect(owner.wanted()).toBe('new'))
  const spell = { sinceMs: atMs, failed: 2, of: 3, runs: 1, lastFailedMs: atMs }
  const told = measured(atMs + 60_000, atMs + 60_000)
  const { fra = newRegionState } = told.regions
  owner.tell([{ checkId, state: { ...told, regions: { ...told.regions, fra: { ...fra, spell } } } }])
  await vi.waitFor(() => expect(timesOf(other.freshen(checkId, row))[0]).toBe(atMs + 60_000))
  // a quarantine took back what the region had seen, without a newer reading
  const withdrawn = measured(atMs + 60_000, atMs)
  expect(other.freshen(checkId, withdrawn).regions['fra']).toBe(withdrawn.regions['fra'])
  // of a process that did not know yet that it had lost its lease
  formerOwner.tell([{ checkId, state: measured(atMs + 30_000, atMs + 90_000) }])
  await vi.waitFor(() => expect(timesOf(other.freshen(checkId, row))[1]).toBe(atMs + 90_000))
  expect(timesOf(other.freshen(checkId, row))[0]).toBe(atMs + 60_000)
})

test('a region is told once, and all of them again to a control plane that has none', async () => {
  const owner = await open()
  await open()
  const told: { regions: object }[] = []
  await bus.events.subscribe('states_told', (payload) => {
    told.push(...(payload as { states: { regions: object }[] }).states)
  })
  await vi.waitFor(() => expect(owner.wanted()).toBe('new'))
  const first = measured(atMs, atMs)
  owner.tell([{ checkId, state: first }])
  owner.tell([{ checkId, state: { ...first, regions: { ...first.regions, fra: { ...newRegionState } } } }])
  await open()
  await vi.waitFor(() => expect(owner.wanted()).toBe('new'))
  owner.tell([{ checkId, state: first }])
  await vi.waitFor(() =>
    expect(told.map(({ regions }) => Object.keys(regions))).toEqual([
      ['fra', 'iad'],
      ['fra'],
      ['fra', 'iad'],
    ]),
  )
})

test('no message is larger than the server takes, whatever the reasons say', async () => {
  const owner = await open()
  await open()
  const sizes: number[] = []
  await bus.events.subscribe('states_told', (payload) => {
    sizes.push(Buffer.byteLength(JSON.stringify(payload)))
  })
  await vi.waitFor(() => expect(owner.wanted()).toBe('new'))
  for (const [count, text] of [
    [700, '\u0001'.repeat(300)],
    [1_100, null],
  ] as const) {
    const region = { ...newRegionState, reason: text, unmeasuredReason: text, withheldReason: text }
    const state = (): CheckState => ({ ...newCheckState, regions: { fra: { ...region } } })
    owner.tell(Array.from({ length: count }, () => ({ checkId, state: state() })))
  }
  await vi.waitFor(() => expect(sizes.length).toBeGreaterThan(3))
  expect(Math.max(...sizes)).toBeLessThan(300_000)
})

test.each([
  ['nothing'],
  [{ teller: 'x', states: [{ checkId, version: 1, regions: { fra: { measuredAt: 'now' } } }] }],
])('what no control plane says changes no answer: %j', async (payload) => {
  const states = await open()
  const after = await open()
  bus.events.publish('states_told', payload)
  bus.events.publish('states_wanted', payload === 'nothing' ? { teller: 1 } : { teller: 'last' })
  await vi.waitFor(() => expect(after.wanted()).not.toBe('no'))
  expect(states.freshen(checkId, row)).toBe(row)
})
