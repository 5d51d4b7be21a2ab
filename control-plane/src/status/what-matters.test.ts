import { expect, test } from 'vitest'
import { staleAfterMs } from './freshness.ts'
import { newCheckState, newRegionState, type CheckState, type RegionState } from './state.ts'
import { storedByMs, storedWithinMs, whatMatters } from './what-matters.ts'

const atMs = 1_700_000_000_000
const up: RegionState = { ...newRegionState, verdict: 'up', measuredAt: atMs, goods: 2, latencyMs: 10 }
const stateOf = (fra: RegionState, more: Partial<CheckState> = {}): CheckState => ({
  ...newCheckState,
  status: 'operational',
  version: 1,
  ...more,
  regions: { fra },
})
const newer = { measuredAt: atMs + 60_000, latencyMs: 20 }
const suspect = {
  sinceMs: atMs,
  measuredAt: atMs,
  reason: null,
  latencyMs: null,
  timings: up.timings,
  unanswered: true,
  confirmed: false,
  roundAtMs: null,
}

test.each<[string, Partial<RegionState>, Partial<RegionState>, ReturnType<typeof whatMatters>]>([
  ['one more good reading', {}, newer, null],
  ['the second good reading of a region that does not fail', { goods: 1 }, { ...newer, goods: 2 }, null],
  [
    'a good reading of a recovering region',
    { failing: true, goods: 0 },
    { failing: true, goods: 1 },
    'failing',
  ],
  [
    'one more failure',
    { verdict: 'down', failing: true },
    { verdict: 'down', failing: true, ...newer },
    'failing',
  ],
  ['a first failure', {}, { suspect }, 'failing'],
  ['the end of a suspect', { suspect }, { ...newer, suspect: null }, null],
  ['another verdict', {}, { ...newer, verdict: 'blocked' }, 'region'],
  ['another reason', { reason: 'a' }, { ...newer, reason: 'b' }, 'region'],
  ['a slot that was not measured', {}, { unmeasuredAt: atMs + 60_000, unmeasuredReason: 'r' }, 'region'],
  [
    'one more slot that was not measured',
    { unmeasuredAt: atMs + 1, unmeasuredReason: 'r' },
    { unmeasuredAt: atMs + 60_000, unmeasuredReason: 'r' },
    null,
  ],
  ['a withdrawn vote', {}, { withdrawnAt: atMs }, 'region'],
  ['a reading that does not count', {}, { ignoredAt: atMs + 1 }, 'region'],
  ['a slow reading', {}, { ...newer, slows: 1 }, 'region'],
  [
    'a failure that came back',
    {},
    { spell: { sinceMs: 1, failed: 1, of: 1, runs: 1, lastFailedMs: 1 } },
    'spell',
  ],
])('%s', (_, before, after, expected) => {
  expect(whatMatters(stateOf({ ...up, ...before }), stateOf({ ...up, ...before, ...after }))).toBe(expected)
})

test('a flip, another reason of the status and a first region matter', () => {
  const before = stateOf(up)
  expect(whatMatters(before, stateOf(up, { version: 2 }))).toBe('flip')
  expect(whatMatters(before, stateOf(up, { statusReason: 'r' }))).toBe('reason')
  expect(whatMatters({ ...before, regions: {} }, before)).toBe('region')
})

test.each([10, 15, 20, 30, 60, 300, 3_600])(
  'a row of a check of %d s is written before a reader could take its region for stale',
  (intervalSeconds) => {
    const intervalMs = intervalSeconds * 1_000
    const staleAtMs = atMs + staleAfterMs(intervalSeconds)
    // the next reading on time, after a missed slot, and as late as one may be
    for (const laterMs of [intervalMs, intervalMs + 9_000, 2 * intervalMs, staleAtMs - atMs]) {
      const [before, after] = [stateOf(up), stateOf({ ...up, measuredAt: atMs + laterMs })]
      const waits = storedByMs(before, after, intervalSeconds, atMs + laterMs) - (atMs + laterMs)
      expect(waits).toBeGreaterThanOrEqual(laterMs === intervalMs ? 1 : 0)
      expect(waits).toBeLessThanOrEqual(storedWithinMs)
      // its row 5 s after its time at the latest
      if (waits > 0) expect(laterMs + waits + 5_000).toBeLessThan(staleAtMs - atMs)
    }
  },
)

test('a row waits where its newer reading is stale as well, and not where that still counts', () => {
  const staleAfter = staleAfterMs(60)
  const [before, after] = [stateOf(up), stateOf({ ...up, ...newer })]
  const waitsAt = (nowMs: number) => storedByMs(before, after, 60, nowMs) - nowMs
  expect(waitsAt(newer.measuredAt + staleAfter)).toBe(0)
  expect(waitsAt(newer.measuredAt + staleAfter + 1)).toBe(storedWithinMs)
})
