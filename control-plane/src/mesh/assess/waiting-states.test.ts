import { expect, test } from 'vitest'
import { newCheckState } from '../../status/state.ts'
import type { AssessedCheck } from '../../status/states-store.ts'
import { checkId, readingAt } from '../../status/testing.ts'
import { createAssessmentState } from './assessment-state.ts'

const t0 = 1_700_000_000_000
const lease = { partition: 0, epoch: 1 }
const stored: AssessedCheck = {
  checkId,
  accountId: 'account',
  name: 'test',
  host: 'example.com',
  regions: ['fra', 'iad'],
  intervalSeconds: 60,
  paused: false,
  state: newCheckState,
}

/** A check whose row is as its memory, and then one more good reading. */
const withNewer = (more: Partial<AssessedCheck> = {}) => {
  const clock = { nowMs: t0 }
  const state = createAssessmentState(() => clock.nowMs)
  const check = { ...stored, ...more }
  state.load(check, lease)
  for (const region of check.regions) state.observe(readingAt(region, 'up', t0 - 10))
  for (const write of state.flips()) state.settle(write)
  state.takeDirty(10)
  clock.nowMs += check.intervalSeconds * 1_000
  state.observe(readingAt('fra', 'up', clock.nowMs - 100))
  const dueAfter = (ms: number): boolean => {
    state.makeOverdueDue(clock.nowMs + ms)
    return state.takeDirty(10).length > 0
  }
  return { state, clock, check, due: () => state.takeDirty(10).length > 0, dueAfter }
}

test.each([
  [60, 30_000],
  [300, 30_000],
  [10, 14_990],
])('a state of a check of %d s that only got newer waits for %d ms', (intervalSeconds, waits) => {
  const { due, dueAfter } = withNewer({ intervalSeconds })
  expect(due()).toBe(false)
  expect(dueAfter(waits - 1)).toBe(false)
  expect(dueAfter(waits)).toBe(true)
  expect(dueAfter(waits)).toBe(false)
})

test.each([
  ['after a missed slot', 20_000, 4_990],
  ['as late as it may be', 31_000, 0],
])(
  'a state of a check of 10 s whose reading came %s is stored before its row is stale',
  (_, lateMs, waits) => {
    const { state, clock, dueAfter } = withNewer({ intervalSeconds: 10, regions: ['fra'] })
    state.makeDue(lease)
    state.takeDirty(10)
    // its row has a reading of 100 ms ago, which counts for 33 s
    clock.nowMs += lateMs
    state.observe(readingAt('fra', 'up', clock.nowMs - 10))
    if (waits > 0) expect(dueAfter(waits - 101)).toBe(false)
    expect(dueAfter(Math.max(0, waits - 90))).toBe(true)
  },
)

test('it is written with all states of its partition, and with those of no other', () => {
  const { state, due } = withNewer()
  state.makeDue({ partition: 1, epoch: 1 })
  expect(due()).toBe(false)
  state.makeDue(lease)
  expect(due()).toBe(true)
})

type Newer = ReturnType<typeof withNewer>
test.each<[string, (newer: Newer) => void]>([
  ['the check fails', ({ state, clock }) => state.observe(readingAt('iad', 'down', clock.nowMs))],
  [
    'an older reading arrives',
    ({ state, clock }) => state.observe(readingAt('fra', 'down', clock.nowMs - 200)),
  ],
  ['the check is edited', ({ state, check }) => state.load({ ...check, name: 'edited' }, lease)],
  ['a region loses its vote', ({ state }) => state.quarantine(new Set(['nrt']))],
  ['several hosts fall silent', ({ state, clock }) => state.doubt(new Map([['nrt', clock.nowMs]]))],
])('it is due at once when %s', (_, happens) => {
  const newer = withNewer()
  happens(newer)
  expect(newer.due()).toBe(true)
})

test('a deleted check waits for nothing', () => {
  const { state, dueAfter } = withNewer()
  state.forget(checkId)
  expect(dueAfter(30_000)).toBe(false)
  expect(state.takeUntold(true)).toEqual([])
})

test('a reading of a backlog that would be late now is due at once, and one that is late is noted', () => {
  const { state, clock, due } = withNewer()
  clock.nowMs += 600_000
  state.observe(readingAt('fra', 'up', t0 + 120_000), () => false)
  expect(due()).toBe(true)
  expect(state.takeLate(lease)).toBe(false)
  state.observe(readingAt('fra', 'up', t0 + 180_000))
  expect(state.takeLate(lease)).toBe(true)
  expect(state.takeLate(lease)).toBe(false)
})

test('what waits is told once as it gets newer, and in full to who has none of it', () => {
  const { state, clock } = withNewer()
  expect(state.takeUntold(false).map((check) => check.checkId)).toEqual([checkId])
  expect(state.takeUntold(false)).toEqual([])
  expect(state.takeUntold(true)).toHaveLength(1)
  state.observe(readingAt('fra', 'up', clock.nowMs))
  expect(state.takeUntold(false)).toHaveLength(1)
  state.makeDue(lease)
  state.takeDirty(10)
  expect(state.takeUntold(true)).toEqual([])
})

test('those of a large mesh are told in parts, which hold nothing up for long', () => {
  const state = createAssessmentState(() => t0 + 60_000)
  const ids = Array.from({ length: 5 }, (_, n) => `check ${n}`)
  for (const id of ids) {
    state.load({ ...stored, checkId: id }, lease)
    state.observe(readingAt('fra', 'up', t0, { checkId: id }))
  }
  for (const write of state.flips()) state.settle(write)
  state.takeDirty(10)
  for (const id of ids) state.observe(readingAt('fra', 'up', t0 + 1, { checkId: id }))
  const told = (isAll: boolean) => state.takeUntold(isAll, 2).map(({ checkId: id }) => id)
  const parts = [told(true), told(false), told(false), told(false)]
  expect(parts).toEqual([ids.slice(0, 2), ids.slice(2, 4), ids.slice(4), []])
})
