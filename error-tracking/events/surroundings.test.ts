import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
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
  ['with touching spans', [20, 0], [{ sinceMs: -10, untilMs: 30 }]],
  ['that are equal', [5, 5], [{ sinceMs: -5, untilMs: 15 }]],
  ['of an empty list', [], []],
])('returns the spans around instants %s', (_what, instants, spans) => {
  expect(spansAround(instants, 10)).toEqual(spans)
})

test('an instant is in a span exactly when a given instant is near', () => {
  const instant = fc.integer({ min: 0, max: 200 })
  forAll([fc.array(instant), instant, fc.integer({ min: 0, max: 20 })], (given, at, around) => {
    const isNear = given.some((each) => Math.abs(each - at) <= around)
    const spans = spansAround(given, around)
    const containing = spans.filter(({ sinceMs, untilMs }) => sinceMs <= at && at <= untilMs)
    expect(containing.length).toBe(isNear ? 1 : 0)
  })
})

test('joined spans cover exactly the given spans and do not touch', () => {
  const instant = fc.integer({ min: 0, max: 100 })
  const span = fc
    .tuple(instant, fc.nat(20))
    .map(([sinceMs, length]) => ({ sinceMs, untilMs: sinceMs + length }))
  forAll([fc.array(span), instant], (given, at) => {
    const contains = ({ sinceMs, untilMs }: { sinceMs: number; untilMs: number }): boolean =>
      sinceMs <= at && at <= untilMs
    const joined = joinSpans(given)
    expect(joined.filter(contains)).toHaveLength(given.some(contains) ? 1 : 0)
    joined.slice(1).forEach(({ sinceMs }, index) => {
      expect(sinceMs).toBeGreaterThan(joined[index]?.untilMs ?? Number.NaN)
    })
  })
})
