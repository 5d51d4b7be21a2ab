import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cut, joined, lengthOf, within } from './spans.ts'
import type { Span } from './spans.ts'

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

test('spans as one hold the same instants, and none twice', () => {
  fc.assert(
    fc.property(spans, (some) => {
      const one = joined(some)
      for (const at of instants) expect(holds(one, at)).toBe(holds(some, at))
      expect(lengthOf(one)).toBe(instants.filter((at) => holds(some, at)).length)
    }),
  )
})

test('what is left holds an instant that was there and was not taken', () => {
  fc.assert(
    fc.property(spans, spans, (some, taken) => {
      const left = cut(joined(some), joined(taken))
      for (const at of instants) {
        expect(holds(left, at)).toBe(holds(some, at) && !holds(taken, at))
      }
      expect(left.every(({ fromMs, toMs }) => fromMs < toMs)).toBe(true)
    }),
  )
})

test('what lies within a span keeps what it says of itself, and is cut at its ends', () => {
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
