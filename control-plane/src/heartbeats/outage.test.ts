import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { clientRetryMs, watchedDeadline } from './outage.ts'

const minuteMs = 60_000

describe('a deadline during outages', () => {
  test.each([
    ['no outage', [], { kind: 'at', deadlineMs: 10 * minuteMs }],
    ['one before the wait', [[-2, 0]], { kind: 'at', deadlineMs: 10 * minuteMs }],
    ['one after the deadline', [[10, 20]], { kind: 'at', deadlineMs: 10 * minuteMs }],
    ['a short one moves it on', [[4, 4.5]], { kind: 'at', deadlineMs: 10.5 * minuteMs }],
    // half a minute of it is before the deadline; after the return one minute is left
    ['one across the deadline', [[9.5, 10.4]], { kind: 'at', deadlineMs: 11.4 * minuteMs }],
    [
      'two short ones add up',
      [
        [1, 1.4],
        [5, 5.4],
      ],
      { kind: 'at', deadlineMs: 10.8 * minuteMs },
    ],
    ['only what lies in the wait counts', [[-5, 0.5]], { kind: 'at', deadlineMs: 10.5 * minuteMs }],
    ['as long as clients repeat a ping', [[4, 5]], { kind: 'at', deadlineMs: 11 * minuteMs }],
    [
      'longer than clients repeat a ping',
      [[4, 5.1]],
      { kind: 'unwatched', deadlineMs: 10 * minuteMs, untilMs: 5.1 * minuteMs },
    ],
    [
      'hours across the deadline',
      [[9, 200]],
      { kind: 'unwatched', deadlineMs: 200 * minuteMs, untilMs: 200 * minuteMs },
    ],
  ] as const)('%s', (_name, outages, expected) => {
    const known = outages.map(([from, to]) => ({ fromMs: from * minuteMs, toMs: to * minuteMs }))
    const watched = watchedDeadline(0, 10 * minuteMs, known)
    expect(watched).toEqual({
      ...expected,
      deadlineMs: expect.closeTo(expected.deadlineMs, 3),
    })
  })

  test('a short wait starts again after the return', () => {
    const watched = watchedDeadline(0, 1_000, [{ fromMs: 500, toMs: 20_000 }])
    expect(watched).toEqual({ kind: 'at', deadlineMs: 21_000 })
  })

  test('it never moves back, and outages never count as waiting time', () => {
    const outagesArbitrary = fc
      .array(fc.tuple(fc.integer({ min: 1, max: 50_000 }), fc.integer({ min: 1, max: 90_000 })), {
        maxLength: 6,
      })
      .map((pairs) => {
        let ms = -60_000
        return pairs.map(([gap, length]) => {
          const fromMs = ms + gap
          ms = fromMs + length
          return { fromMs, toMs: ms }
        })
      })
    forAll([fc.integer({ min: 1, max: 300_000 }), outagesArbitrary], { numRuns: 2000 }, (waitMs, outages) => {
      const watched = watchedDeadline(0, waitMs, outages)
      expect(watched.deadlineMs).toBeGreaterThanOrEqual(waitMs)
      if (watched.kind === 'unwatched') return
      const lostMs = outages
        .map(({ fromMs, toMs }) => Math.min(toMs, watched.deadlineMs) - Math.max(fromMs, 0))
        .reduce((sum, ms) => sum + Math.max(0, ms), 0)
      expect(watched.deadlineMs - lostMs).toBeGreaterThanOrEqual(waitMs)
      expect(lostMs).toBeLessThanOrEqual(clientRetryMs)
    })
  })
})
