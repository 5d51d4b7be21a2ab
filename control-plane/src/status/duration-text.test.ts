import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { durationText } from './duration-text.ts'

test.each([
  [0, '1 s'],
  [1_499, '1 s'],
  [59_600, '1 min'],
  [1_979_900, '33 min'],
  [3_599_600, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_399_900, '1 d'],
])('%i ms is %s', (ms, text) => {
  expect(durationText(ms)).toBe(text)
})

test('no unit reaches the next larger one', () => {
  forAll([fc.integer({ min: 0, max: 40 * 86_400_000 })], (ms) => {
    expect(durationText(ms)).not.toMatch(/\b(60 s|60 min|24 h)\b/)
  })
})
