import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { contrastOf, readableOn, textOn } from './contrast.ts'
import { dark, light } from './palette.ts'

const anyColour = fc
  .integer({ min: 0, max: 0xffffff })
  .map((value) => `#${value.toString(16).padStart(6, '0')}`)

test('black on white is 21 to 1, and a colour on itself 1 to 1', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrastOf('#767676', '#ffffff')).toBeGreaterThan(4.5)
  expect(contrastOf('#777777', '#ffffff')).toBeLessThan(4.5)
  expect(contrastOf('#123456', '#123456')).toBe(1)
})

test.each([light, dark])('text is readable on every accent', ({ ground, raised }) => {
  forAll([anyColour], (accent) => {
    const adjusted = readableOn(accent, [ground, raised], 4.5)
    expect(adjusted).toMatch(/^#[0-9a-f]{6}$/)
    for (const below of [ground, raised]) {
      expect(contrastOf(adjusted, below)).toBeGreaterThanOrEqual(4.5)
    }
    expect(contrastOf(textOn(adjusted), adjusted)).toBeGreaterThanOrEqual(4.5)
  })
})

test.each([
  ['#0a7d4f', '#0a7d4f'],
  ['#767676', '#767676'],
  // the first step towards black
  ['#777777', '#717171'],
])('on white, %s becomes %s', (accent, adjusted) => {
  expect(readableOn(accent, ['#ffffff'], 4.5)).toBe(adjusted)
})
