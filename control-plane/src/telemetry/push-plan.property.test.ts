import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { countedSpan, keptMs, planPush, type Pushed } from './push-plan.ts'
import { minuteMs } from './runs-query.ts'

const beginMs = Date.parse('2026-11-20T12:00:00Z')

/** A run that arrives in a minute, and is stored some minutes later. */
const run = fc.record({
  minute: fc.integer({ min: 0, max: 90 }),
  storedAfter: fc.constantFrom(0, 0, 0, 1, 5, 25),
})

test('each run is pushed at least once or counted as dropped, and pushed if the endpoint works in time', () => {
  forAll([fc.array(run, { maxLength: 60 }), fc.array(fc.boolean(), { minLength: 140 })], (runs, works) => {
    let state: Pushed = { settledToMs: beginMs, pushed: {} }
    let [sent, dropped] = [0, 0]
    const minutesPushed = new Map<number, number>()
    // the endpoint works in the end
    for (const [minute, isUp] of [...works.slice(0, 130), ...Array<boolean>(10).fill(true)].entries()) {
      const nowMs = beginMs + minute * minuteMs + 15_000
      const span = countedSpan(state, nowMs)
      const counts = new Map<number, number>()
      for (const each of runs) {
        const atMs = beginMs + each.minute * minuteMs
        if (each.minute + each.storedAfter > minute || atMs < span.fromMs || atMs >= span.toMs) continue
        counts.set(atMs, (counts.get(atMs) ?? 0) + 1)
      }
      const plan = planPush(state, counts, nowMs)
      dropped += plan.dropped
      const pushed = { ...plan.kept.pushed }
      for (const { atMs, runs: missing } of isUp ? plan.minutes : []) {
        pushed[atMs] = counts.get(atMs) ?? 0
        sent += missing
        minutesPushed.set(atMs, pushed[atMs])
      }
      state = { ...plan.kept, pushed }
      expect(Object.keys(state.pushed).length).toBeLessThanOrEqual(keptMs / minuteMs + 1)
    }
    expect(sent + dropped).toBe(runs.length)
    expect([...minutesPushed.values()].reduce((sum, each) => sum + each, 0)).toBe(sent)
    if (works.every(Boolean)) expect(dropped).toBe(0)
  })
})

test('after a long stop the runs of six hours are counted as dropped but for the last 30 minutes', () => {
  const state = { settledToMs: beginMs, pushed: {} }
  const nowMs = beginMs + 10 * 3_600_000
  expect(countedSpan(state, nowMs).fromMs).toBe(nowMs - 6 * 3_600_000)
  const counts = new Map([
    [nowMs - 3 * 3_600_000, 7],
    [nowMs - 10 * minuteMs, 2],
  ])
  expect(planPush(state, counts, nowMs)).toEqual({
    minutes: [{ atMs: nowMs - 10 * minuteMs, runs: 2 }],
    kept: { settledToMs: nowMs - 30 * minuteMs, pushed: {} },
    dropped: 7,
  })
})
