import { AgentReport, latenessWindowMs, lateRunMs } from '@probe-mesh/contracts/agent/agent-report'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test, vi } from 'vitest'
import type { AgentMetrics } from './run/agent-metrics.ts'
import { tallyMetrics } from './tally-metrics.ts'

/** Metrics that record nothing. */
const silent = () =>
  ({
    started: vi.fn<AgentMetrics['started']>(),
    read: () => {},
    published: () => {},
    dropped: vi.fn<AgentMetrics['dropped']>(),
    slotsSkipped: () => {},
    assignmentRefused: () => {},
    runRefused: () => {},
    cacheLinesDropped: () => {},
    superseded: () => {},
    bug: () => {},
    gauges: () => {},
  }) satisfies AgentMetrics

const empty = { readings: 0, bytes: 0 }
const tallyAt = (clock: { ms: number }) => tallyMetrics(silent(), () => clock.ms)
const stepMs = latenessWindowMs / 6

test('an idle agent reports zeros and the content of its spool', () => {
  const report = tallyAt({ ms: 0 }).report(12.4, { readings: 3, bytes: 400 })
  expect(report).toEqual({
    at: 12,
    spool: { readings: 3, bytes: 400 },
    dropped: { full: 0, old: 0, damaged: 0, disk: 0 },
    runs: { begun: 0, late: 0, lateMsMax: 0 },
  })
  expect(AgentReport.safeParse(report).success).toBe(true)
})

test('reports a fault of the probe while it lasts', () => {
  const tally = tallyAt({ ms: 0 })
  const ownFault = { namesSince: 5, networkSince: null }
  const report = tally.report(12, empty, ownFault)
  expect(AgentReport.parse(report).ownFault).toEqual(ownFault)
  expect(tally.report(13, empty, null)).not.toHaveProperty('ownFault')
})

test.each([
  [lateRunMs, 0],
  [lateRunMs + 1, 1],
])('a run that starts %i ms after its slot counts %i as late', (lateMs, late) => {
  const tally = tallyAt({ ms: 0 })
  tally.metrics.started(lateMs)
  tally.metrics.started(1)
  expect(tally.report(0, empty).runs).toEqual({ begun: 2, late, lateMsMax: lateMs })
})

test.each([
  ['at the end of its window', 6 * stepMs - 1, 1],
  ['just after it', 6 * stepMs, 0],
])('a run counts until its step has passed: %s', (_when, atMs, begun) => {
  const clock = { ms: 0 }
  const tally = tallyAt(clock)
  tally.metrics.started(2_000)
  clock.ms = atMs
  expect(tally.report(0, empty).runs).toEqual({
    begun,
    late: begun,
    lateMsMax: begun === 1 ? 2_000 : 0,
  })
})

test('counts the runs of a minute exactly, in any number of steps', () => {
  const runs = fc.array(fc.record({ aheadMs: fc.integer({ min: 0, max: 30_000 }), lateMs: fc.nat(5_000) }), {
    maxLength: 40,
  })
  forAll([runs], (all) => {
    const clock = { ms: 0 }
    const tally = tallyAt(clock)
    const began: { atMs: number; lateMs: number }[] = []
    for (const { aheadMs, lateMs } of all) {
      clock.ms += aheadMs
      tally.metrics.started(lateMs)
      began.push({ atMs: clock.ms, lateMs })
      const sinceMs = (Math.floor(clock.ms / stepMs) - 5) * stepMs
      const recent = began.filter(({ atMs }) => atMs >= sinceMs)
      // never beyond the window
      expect(clock.ms - sinceMs).toBeLessThan(latenessWindowMs)
      expect(tally.report(0, empty).runs).toEqual({
        begun: recent.length,
        late: recent.filter((run) => run.lateMs > lateRunMs).length,
        lateMsMax: Math.max(...recent.map((run) => run.lateMs)),
      })
    }
  })
})

test('reports dropped readings by reason, and passes all counts to the metrics', () => {
  const metrics = silent()
  const clock = { ms: 0 }
  const tally = tallyMetrics(metrics, () => clock.ms)
  tally.metrics.dropped('spool_full', 2)
  tally.metrics.dropped('spool_old', 3)
  clock.ms = 10 * latenessWindowMs
  tally.metrics.dropped('spool_damaged', 4)
  tally.metrics.dropped('disk', 5)
  tally.metrics.dropped('disk', 1)
  tally.metrics.started(7)
  expect(tally.report(0, empty).dropped).toEqual({ full: 2, old: 3, damaged: 4, disk: 6 })
  expect(metrics.dropped.mock.calls).toEqual([
    ['spool_full', 2],
    ['spool_old', 3],
    ['spool_damaged', 4],
    ['disk', 5],
    ['disk', 1],
  ])
  expect(metrics.started.mock.calls).toEqual([[7]])
})
