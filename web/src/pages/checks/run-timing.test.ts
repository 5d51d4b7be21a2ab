import type { Run, RunOutcome } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { expect, test } from 'vitest'
import { runLane } from '../../charts/run-lane.ts'
import { flat } from '../../testing/flat.ts'
import { timingsOf } from './run-timing.ts'

const base = Date.parse('2026-11-20T00:00:00.000Z')
/** @param at seconds after midnight */
const run = (at: number, outcome: RunOutcome = 'success'): Run => ({
  id: 'a',
  startedAt: null,
  finishedAt: new Date(base + at * 1000).toISOString(),
  outcome,
  durationMs: null,
  stuck: false,
  exitCode: null,
  message: null,
})
const heartbeat = { periodSeconds: 600, graceSeconds: 100 }

test.each([
  [499, 'early'],
  [500, 'on time'],
  [600, 'on time'],
  [610, 'on time'],
  [611, 'late'],
])('of a period of 600 s with 100 s of grace, a run after %i s is %s', (at, timing) => {
  expect(timingsOf([run(at), run(0)], heartbeat)).toEqual([timing, null])
})

test('after a missed run the next is expected from its due time, not from its deadline', () => {
  const runs = [run(1200), run(700, 'missed'), run(0)]
  expect(timingsOf(runs, heartbeat)).toEqual(['on time', 'missed', null])
})

test('a cron schedule has no early and no late runs', () => {
  const runs = [run(9_000), run(8_000, 'missed'), run(0)]
  expect(timingsOf(runs, { ...heartbeat, periodSeconds: null })).toEqual([null, 'missed', null])
})

test('the lane has a row for each timing that occurred, and marks the next expected ping', () => {
  const [fromMs, nowMs] = [base, base + 3_600_000]
  const runs = [
    { row: 'late' as const, fromMs, toMs: fromMs + 1_000 },
    { row: 'missed' as const, fromMs: fromMs + 600_000, toMs: fromMs + 600_000 },
  ]
  const text = flat(runLane(runs, { title: 'Runs', nextMs: nowMs + 60_000, nowMs }))
  expect(text).toContain('Of 2 runs: 1 late, 1 missed. A line marks')
  expect(text).not.toContain('>early<')
  expect(text).toContain('class="next" x1="100%"')
  const over = flat(runLane(runs, { title: 'Runs', nextMs: null, nowMs }))
  expect(over).not.toContain('class="next"')
  expect(runLane([], { title: 'Runs', nextMs: null, nowMs })).toBeNull()
})
