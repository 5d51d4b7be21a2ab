import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instantOf, typedOfInstant } from './utc-input.ts'

test.each([
  ['2026-11-22T01:30', '2026-11-22T01:30:00Z'],
  ['2026-11-22T01:30:05', '2026-11-22T01:30:05Z'],
  ['2026-11-22T01:30:05.25', '2026-11-22T01:30:05.25Z'],
  // left to the API, which refuses what is no instant
  ['2026-11-22 01:30', '2026-11-22 01:30'],
  ['2026-11-22', '2026-11-22'],
  ['tomorrow', 'tomorrow'],
  ['2026-11-22T01:30Z', '2026-11-22T01:30Z'],
])('%s means %s', (typed, instant) => {
  expect(instantOf(typed)).toBe(instant)
})

test('what is shown means the minute that it was, whatever the zone of this machine', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_102_444_800_000 }), (ms) => {
      expect(Date.parse(instantOf(typedOfInstant(ms)))).toBe(ms - (ms % 60_000))
    }),
  )
})
