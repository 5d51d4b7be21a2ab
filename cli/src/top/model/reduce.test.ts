import { describe, expect, test } from 'vitest'
import {
  account,
  checkOf,
  connected,
  detailOf,
  listed,
  readingOf,
  regionOf,
  staleAfterMs,
  startMs,
  stateAfter,
  flipEvent,
  readingEvent,
} from '../testing.ts'
import { arrange } from './arrange.ts'
import { shownRegion, staleAfterMsOf } from './freshness.ts'
import type { TopEvent } from './reduce.ts'
import { pointsMax, type CheckRow, type TopState } from './state.ts'

const web = checkOf('web')
const ready = [
  [0, connected],
  [0, listed([web])],
  [0, account],
] as const

const rowOf = (state: TopState): CheckRow => {
  const row = state.checks.get('web')
  if (row === undefined) throw new Error('the check is listed')
  return row
}
const told = (...events: Extract<TopEvent, { kind: 'events' }>['events'][number][]): TopEvent => ({
  kind: 'events',
  events,
})
const regionAt = (state: TopState, region: string, ms: number) =>
  shownRegion(rowOf(state), region, startMs + ms)
const statusAt = (state: TopState, ms: number) => arrange(state, startMs + ms).rows[0]?.status
const detailed = (more: Parameters<typeof detailOf>[1] = {}, requestedMs = 0): TopEvent => ({
  kind: 'detailed',
  detail: detailOf(web, more),
  requestedMs: startMs + requestedMs,
})

describe('what a region shows', () => {
  const up = stateAfter([...ready, [10, told(readingEvent('web', readingOf('fra', 0)))]])
  test.each([
    ['is up while its reading is fresh', 'fra', 5 + staleAfterMs, 'up'],
    ['is stale a millisecond later, without any event', 'fra', 6 + staleAfterMs, 'stale'],
    ['is unknown where nothing was measured', 'iad', 10, 'unknown'],
    ['is nothing where the check is not measured', 'syd', 10, null],
  ])('%s', (_, region, ms, expected) => {
    expect(regionAt(up, region, ms)).toBe(expected)
  })

  test.each([
    ['an older reading changes nothing', readingOf('fra', -10_000, { verdict: 'down' }), 'up'],
    ['an unmeasured one is no evidence', readingOf('fra', 10, { verdict: 'unmeasured' }), 'up'],
    ['a newer one counts', readingOf('fra', 10, { verdict: 'down' }), 'down'],
    ['blocked is never down', readingOf('fra', 10, { verdict: 'blocked' }), 'blocked'],
  ])('%s', (_, reading, expected) => {
    const state = stateAfter([
      ...ready,
      [10, told(readingEvent('web', readingOf('fra', 0)))],
      [20, told(readingEvent('web', reading))],
    ])
    expect(regionAt(state, 'fra', 30)).toBe(expected)
  })

  test('shows what the API does not count as stale until the next reading', () => {
    const withdrawn = [regionOf('fra', 0, { fresh: false, status: 'stale' })]
    const state = stateAfter([...ready, [10, detailed({ regionStatuses: withdrawn }, 10)]])
    expect(regionAt(state, 'fra', 20)).toBe('stale')
    const again = stateAfter([
      ...ready,
      [10, detailed({ regionStatuses: withdrawn }, 10)],
      [20, told(readingEvent('web', readingOf('fra', 10)))],
    ])
    expect(regionAt(again, 'fra', 30)).toBe('up')
  })

  test('treats a reading far ahead of the clock as not fresh', () => {
    const state = stateAfter([...ready, [10, told(readingEvent('web', readingOf('fra', 400_000)))]])
    expect(regionAt(state, 'fra', 10)).toBe('stale')
  })
})

describe('what a check shows', () => {
  test.each([
    ['a flip counts', flipEvent('web', 'down', 5), 'down'],
    ['one that happened before what is known does not', flipEvent('web', 'down', -4_000_000), 'operational'],
  ])('%s', (_, flip, expected) => {
    expect(statusAt(stateAfter([...ready, [1, detailed()], [10, told(flip)]]), 20)).toBe(expected)
  })

  test('keeps a flip that is newer than the request of an answer', () => {
    const flip = told(flipEvent('web', 'down', 100))
    for (const late of [listed([web], 50), detailed({}, 50)]) {
      expect(statusAt(stateAfter([...ready, [110, flip], [200, late]]), 210)).toBe('down')
    }
    expect(statusAt(stateAfter([...ready, [110, flip], [200, listed([web], 150)]]), 210)).toBe('operational')
  })

  test('is stale once every region is stale, even if the API reported operational', () => {
    const state = stateAfter([...ready, [1, detailed()]])
    expect(statusAt(state, staleAfterMs)).toBe('operational')
    expect(statusAt(state, staleAfterMs + 1)).toBe('stale')
  })

  test('without a stream keeps its status only as long as a reading counts', () => {
    const lost: TopEvent = { kind: 'connection', state: 'reconnecting', why: 'gone' }
    const state = stateAfter([...ready, [1_000, lost]])
    expect(statusAt(state, 1_000 + staleAfterMs)).toBe('operational')
    expect(statusAt(state, 1_001 + staleAfterMs)).toBe('stale')
    const back = stateAfter([...ready, [1_000, lost], [90_000, connected]])
    expect(statusAt(back, 90_001)).toBe('stale')
    const read = stateAfter([...ready, [1_000, lost], [90_000, connected], [90_002, listed([web], 90_001)]])
    expect(statusAt(read, 500_000)).toBe('operational')
  })

  test('shows a paused check as paused, and removes a deleted one', () => {
    const paused = stateAfter([...ready, [10, listed([checkOf('web', { paused: true })], 5)]])
    expect(statusAt(paused, 10)).toBe('paused')
    expect(stateAfter([...ready, [10, { kind: 'gone', checkId: 'web' }]]).checks.size).toBe(0)
  })

  test('requests the list after a flip that a pause or its end may have made', () => {
    const after = (event: TopEvent, paused = false) =>
      stateAfter([
        [0, connected],
        [0, listed([{ ...web, paused }])],
        [1, event],
      ]).isUnlisted
    expect(after(told(flipEvent('web', 'stale', 1)))).toBe(true)
    expect(after(told(flipEvent('web', 'down', 1)), true)).toBe(true)
    expect(after(told(flipEvent('web', 'down', 1)))).toBe(false)
  })

  test('requests the list after an event of an unlisted check', () => {
    const state = stateAfter([...ready, [10, told(readingEvent('new', readingOf('fra', 0)))]])
    expect([state.isUnlisted, state.checks.size]).toEqual([true, 1])
  })
})

test('keeps points in slot order, once each, up to a bound', () => {
  const slots = Array.from({ length: 3 * pointsMax }, (_, n) => n * 10_000)
  const mixed = slots.toSorted((one, other) => ((one * 7919) % 1013) - ((other * 7919) % 1013))
  const events = [...mixed, ...mixed].map((slot) => readingEvent('web', readingOf('fra', slot)))
  const { points } = rowOf(stateAfter([...ready, [10, told(...events)]]))
  expect(points.map(({ slotMs }) => slotMs - startMs)).toEqual(slots.slice(-pointsMax))
})

/** The control plane's rule, by its own numbers. */
test.each([
  [1, 7_800],
  [10, 33_000],
  [60, 145_000],
])('counts a reading of a check every %i s for %i ms', (intervalSeconds, ms) => {
  expect(staleAfterMsOf(intervalSeconds)).toBe(ms)
})

test('requires confirmation of a run, which expires', async () => {
  const { confirmedRun } = await import('./intent.ts')
  const state = stateAfter([...ready, [0, { kind: 'askRun' }]])
  expect(confirmedRun(state, startMs + 5_000)).toBe('web')
  expect(confirmedRun(state, startMs + 5_001)).toBeNull()
  expect(confirmedRun(stateAfter([...ready]), startMs)).toBeNull()
  expect(
    confirmedRun(stateAfter([...ready, [0, { kind: 'askRun' }], [1, { kind: 'cancelRun' }]]), startMs),
  ).toBeNull()
})
