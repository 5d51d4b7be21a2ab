import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { subtract, merged, lengthOf, within, type Span } from './spans.ts'

const end = 40
const spans = fc.array(
  fc
    .tuple(fc.integer({ min: 0, max: end }), fc.integer({ min: 0, max: 12 }))
    .map(([fromMs, length]): Span => ({ fromMs, toMs: fromMs + length })),
  { maxLength: 8 },
)
const holds = (all: readonly Span[], at: number): boolean =>
  all.some(({ fromMs, toMs }) => fromMs <= at && at < toMs)
const instants = Array.from({ length: end + 15 }, (_, at) => at)

test('merged spans hold the same instants, each once', () => {
  forAll([spans], (some) => {
    const one = merged(some)
    for (const at of instants) expect(holds(one, at)).toBe(holds(some, at))
    expect(lengthOf(one)).toBe(instants.filter((at) => holds(some, at)).length)
  })
})

test('subtracting leaves exactly the instants that were not subtracted', () => {
  forAll([spans, spans], (some, taken) => {
    const left = subtract(merged(some), merged(taken))
    for (const at of instants) {
      expect(holds(left, at)).toBe(holds(some, at) && !holds(taken, at))
    }
    expect(left.every(({ fromMs, toMs }) => fromMs < toMs)).toBe(true)
  })
})

test('clipping a span keeps its fields', () => {
  const some = [
    { fromMs: 0, toMs: 4, is: 'a' },
    { fromMs: 4, toMs: 6, is: 'b' },
    { fromMs: 6, toMs: 9, is: 'c' },
  ]
  expect(within(some, { fromMs: 3, toMs: 6 })).toEqual([
    { fromMs: 3, toMs: 4, is: 'a' },
    { fromMs: 4, toMs: 6, is: 'b' },
  ])
})
