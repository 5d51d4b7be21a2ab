import { expect, test } from 'vitest'
import { staleAfterMs } from '../status/freshness.ts'
import { newCheckState, newRegionState } from '../status/state.ts'
import { statusEvidence } from './status-evidence.ts'

const now = 1_700_000_000_000
const minute = 60_000
const recorded = { flips: [], paused: [{ fromMs: 1, toMs: 2 }] }
const measured = { ...newRegionState, verdict: 'up', measuredAt: now - minute } as const
const probed = {
  type: 'http',
  regions: ['fra'],
  intervalSeconds: 10,
  state: { ...newCheckState, status: 'operational', regions: { fra: measured } },
} as const
const heartbeat = { ...probed, type: 'heartbeat', regions: [] } as const
const outages = [{ fromMs: 3, toMs: 4 }]
const until = (check: typeof probed | typeof heartbeat, nowMs: number, seenAtMs: number | null) =>
  statusEvidence(check, recorded, { outages, seenAtMs }, nowMs).knownUntilMs

test('a probed check is known while its readings are fresh', () => {
  const staleAt = now - minute + staleAfterMs(10)
  expect(until(probed, staleAt - 1, null)).toBe(staleAt - 1)
  expect(until(probed, staleAt + 1, null)).toBe(staleAt)
})

test('a check without readings is never known', () => {
  const never = { ...probed, state: newCheckState } as unknown as typeof probed
  expect(until(never, now, null)).toBe(0)
})

test('a heartbeat is known while pings can be received, whatever its readings', () => {
  expect(until(heartbeat, now, now - 6_000)).toBe(now)
  expect(until(heartbeat, now, now - 6_001)).toBe(now - 6_001)
  // where no control plane ever said so there is none that was away
  expect(until(heartbeat, now, null)).toBe(now)
})

test('paused time is unmonitored, and for heartbeats also time without receivers', () => {
  const watch = { outages, seenAtMs: now }
  expect(statusEvidence(probed, recorded, watch, now).unwatched).toEqual(recorded.paused)
  expect(statusEvidence(heartbeat, recorded, watch, now).unwatched).toEqual([...recorded.paused, ...outages])
})
