import fc from 'fast-check'
import { expect, test } from 'vitest'
import { joinSpans, spansAround } from './surroundings.ts'

test.each([
  [
    'far apart',
    [0, 21],
    [
      { sinceMs: -10, untilMs: 10 },
      { sinceMs: 11, untilMs: 31 },
    ],
  ],
  ['that touch', [20, 0], [{ sinceMs: -10, untilMs: 30 }]],
  ['that are one', [5, 5], [{ sinceMs: -5, untilMs: 15 }]],
  ['that are none', [], []],
])('instants %s', (_what, instants, spans) => {
  expect(spansAround(instants, 10)).toEqual(spans)
})

test('a time is in a span exactly when a given time is near', () => {
  const instant = fc.integer({ min: 0, max: 200 })
  fc.assert(
    fc.property(fc.array(instant), instant, fc.integer({ min: 0, max: 20 }), (given, at, around) => {
      const isNear = given.some((each) => Math.abs(each - at) <= around)
      const spans = spansAround(given, around)
      const holding = spans.filter(({ sinceMs, untilMs }) => sinceMs <= at && at <= untilMs)
      expect(holding.length).toBe(isNear ? 1 : 0)
    }),
  )
})

test('joined spans cover exactly the given spans and do not touch', () => {
  const instant = fc.integer({ min: 0, max: 100 })
  const span = fc
    .tuple(instant, fc.nat(20))
    .map(([sinceMs, length]) => ({ sinceMs, untilMs: sinceMs + length }))
  fc.assert(
    fc.property(fc.array(span), instant, (given, at) => {
      const holds = ({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }): boolean =>
        sinceMs <= at && at <= untilMs
      const joined = joinSpans(given)
      expect(joined.filter(holds)).toHaveLength(given.some(holds) ? 1 : 0)
      joined.slice(1).forEach(({ sinceMs }, index) => {
        expect(sinceMs).toBeGreaterThan(joined[index]?.untilMs ?? Number.NaN)
      })
    }),
  )
})
