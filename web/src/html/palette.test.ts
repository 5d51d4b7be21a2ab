import { describe, expect, test } from 'vitest'
import { dark, light } from './palette.ts'

/** Relative luminance (WCAG 2.2, glossary). */
const luminanceOf = (colour: string): number => {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const contrastOf = (one: string, other: string): number => {
  const [brighter, darker] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => b - a)
  return ((brighter ?? 0) + 0.05) / ((darker ?? 0) + 0.05)
}

test('black on white is 21 to 1, and a colour on itself 1 to 1', () => {
  expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21, 5)
  expect(contrastOf('#767676', '#ffffff')).toBeGreaterThan(4.5)
  expect(contrastOf('#777777', '#ffffff')).toBeLessThan(4.5)
  expect(contrastOf('#123456', '#123456')).toBe(1)
})

describe.each([
  ['light', light],
  ['dark', dark],
])('in the %s scheme', (_, palette) => {
  const { ground, raised, text, muted, link, edge, action, good, bad, uncertain, silent } = palette
  const tones = [action, good, bad, uncertain, silent]

  test('every text has a contrast of 4.5 to what it stands on', () => {
    for (const below of [ground, raised]) {
      for (const colour of [text, muted, link]) {
        expect(contrastOf(colour, below)).toBeGreaterThanOrEqual(4.5)
      }
    }
    for (const tone of tones) expect(contrastOf(tone.text, tone.ground)).toBeGreaterThanOrEqual(4.5)
  })

  test('the edges of fields and buttons, and every mark, have a contrast of 3', () => {
    for (const below of [ground, raised]) {
      expect(contrastOf(edge, below)).toBeGreaterThanOrEqual(3)
      for (const { mark } of tones) expect(contrastOf(mark, below)).toBeGreaterThanOrEqual(3)
    }
  })
})
