import { expect, test } from 'vitest'
import { attemptMsMaxOf, attemptsMsMaxOf, hasRoomForRetry } from '../mesh/assignment.ts'
import { timeoutProblem } from './check-timeout.ts'

test.each<[number | undefined, number, string | null]>([
  [undefined, 1, null],
  [1, 2, null],
  [9, 10, null],
  [10, 10, 'must be at most 9 s at an interval of 10 s, and at most 4 s for a retry at once'],
  [30, 30, 'must be at most 27 s at an interval of 30 s, and at most 12 s for a retry at once'],
  [30, 34, null],
  [1, 1, 'an interval of 1 s leaves no room for a timeout; leave it out'],
])('a timeout of %s s at an interval of %d s: %s', (timeoutSeconds, intervalSeconds, problem) => {
  expect(timeoutProblem(timeoutSeconds, intervalSeconds)).toBe(problem)
})

test.each<[number | undefined, number, ms: number, retried: boolean]>([
  [undefined, 10, 4_000, true],
  [undefined, 300, 10_000, true],
  [4, 10, 4_000, true],
  [5, 10, 5_000, false],
  [9, 10, 9_000, false],
  [30, 75, 30_000, true],
  [30, 74, 30_000, false],
  // never sent without a bug: the run still ends before its next slot
  [30, 10, 9_000, false],
])(
  'with a timeout of %s s at an interval of %d s an attempt ends after %d ms, and is retried: %s',
  (timeoutSeconds, intervalSeconds, ms, retried) => {
    const timed = { type: 'http' as const, intervalSeconds, timeoutSeconds }
    expect([attemptMsMaxOf(timed), hasRoomForRetry(timed)]).toEqual([ms, retried])
    expect(attemptsMsMaxOf(timed)).toBe(retried ? 2 * ms : ms)
    expect(attemptsMsMaxOf(timed)).toBeLessThan(intervalSeconds * 1_000)
  },
)

test('a journey has its own timeout', () => {
  const timed = { type: 'multistep' as const, intervalSeconds: 60, timeoutSeconds: 1 }
  expect(attemptMsMaxOf(timed)).toBe(45_000)
})
