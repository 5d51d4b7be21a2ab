import { describe, expect, test } from 'vitest'
import { contrastOf } from './contrast.ts'
import { dark, highContrastDark, highContrastLight, light } from './palette.ts'

describe.each([
  ['light', light],
  ['dark', dark],
  ['light, high contrast', highContrastLight],
  ['dark, high contrast', highContrastDark],
])('in the %s scheme', (_, palette) => {
  const { ground, raised, sunken, text, muted, link, edge, action, good, bad, uncertain, silent, regions } =
    palette
  const tones = [action, good, bad, uncertain, silent]

  test('every text has a contrast of at least 4.5 with its background', () => {
    for (const below of [ground, raised, sunken]) {
      for (const colour of [text, muted, link]) {
        expect(contrastOf(colour, below)).toBeGreaterThanOrEqual(4.5)
      }
    }
    for (const tone of tones) expect(contrastOf(tone.text, tone.ground)).toBeGreaterThanOrEqual(4.5)
  })

  test('edges of fields and buttons, and all marks, have a contrast of at least 3', () => {
    for (const below of [ground, raised, sunken]) {
      expect(contrastOf(edge, below)).toBeGreaterThanOrEqual(3)
      for (const { mark } of tones) expect(contrastOf(mark, below)).toBeGreaterThanOrEqual(3)
      for (const colour of regions) expect(contrastOf(colour, below)).toBeGreaterThanOrEqual(3)
    }
  })
})

test.each([highContrastLight, highContrastDark])('high contrast gives every text at least 7', (palette) => {
  const { ground, raised, sunken, text, muted, link, edge, line, good, bad, uncertain, silent } = palette
  for (const below of [ground, raised, sunken]) {
    for (const colour of [text, muted, link, edge, line]) {
      expect(contrastOf(colour, below)).toBeGreaterThanOrEqual(7)
    }
  }
  for (const tone of [good, bad, uncertain, silent]) {
    expect(contrastOf(tone.text, tone.ground)).toBeGreaterThanOrEqual(7)
  }
})
