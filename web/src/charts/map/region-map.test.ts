import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { dottedLand, isLand } from './dotted-land.ts'
import { labelHeight, labelWidth, placeLabels } from './place-labels.ts'
import { mapSize, projected } from './projection.ts'
import { regionMap } from './region-map.ts'
import { placeOf } from '../../html/region-places.ts'

const known =
  'iad sjc fra nrt ams arn bom cdg dfw dub gru hkg icn jnb lhr mad ord scl sea sin syd waw yyz'.split(' ')

describe('the continents', () => {
  test.each([
    ['Kansas', -98, 38, true],
    ['the Amazon', -62, -5, true],
    ['the Congo', 23, 0, true],
    ['Bavaria', 11.5, 48.5, true],
    ['the Deccan', 78, 17, true],
    ['Sichuan', 103, 30, true],
    ['Alice Springs', 134, -24, true],
    ['the Atlantic', -40, 30, false],
    ['Hudson Bay', -86, 60, false],
    ['the Gulf of Mexico', -90, 25, false],
    ['the Mediterranean', 18, 35, false],
    ['the Black Sea', 34, 43.5, false],
    ['the Caspian Sea', 51, 42, false],
    ['the Gulf of Guinea', 0, 0, false],
    ['the Pacific', -150, 10, false],
  ])('%s', (_, lon, lat, expected) => {
    expect(isLand(lon, lat)).toBe(expected)
  })

  test('are drawn within the map, in few bytes', () => {
    const starts = [...dottedLand.matchAll(/M(\d+) (\d+)h(\d+)/g)].map((match) => match.slice(1).map(Number))
    expect(starts.length).toBeGreaterThan(100)
    for (const [x = 0, y = 0, length = 0] of starts) {
      expect(x + length).toBeLessThanOrEqual(mapSize.width)
      expect(y).toBeLessThanOrEqual(mapSize.height)
    }
    expect(dottedLand.length).toBeLessThan(6_000)
  })
})

test('wherever up to ten regions are, no label lies on another, on a mark, or off the map', () => {
  const region = fc.record({
    code: fc.constantFrom(...known),
    text: fc.constantFrom('no data', 'normal, 9.5 ms', 'slower, 12345 ms', 'no verdict, 121 ms'),
  })
  fc.assert(
    fc.property(fc.uniqueArray(region, { selector: ({ code }) => code, maxLength: 10 }), (regions) => {
      const marks = regions.map(({ code, text }) => ({
        ...projected(placeOf(code) ?? { lon: 0, lat: 0 }),
        width: labelWidth(text),
      }))
      const labels = placeLabels(marks)
      for (const [index, label] of labels.entries()) {
        const { x, y, width } = label
        expect(x >= 0 && y >= 0).toBe(true)
        expect(x + width <= mapSize.width && y + labelHeight <= mapSize.height).toBe(true)
        for (const other of labels.slice(index + 1)) {
          const isApart = x + width <= other.x || other.x + other.width <= x
          expect(isApart || Math.abs(y - other.y) >= labelHeight).toBe(true)
        }
        for (const mark of marks) {
          const isWithin = mark.x > x && mark.x < x + width
          expect(isWithin && mark.y > y && mark.y < y + labelHeight).toBe(false)
        }
      }
    }),
  )
})

test('a state is a shape, a colour and words; none of them alone', () => {
  const svg = flat(
    regionMap('Map', [
      { region: 'fra', tone: 'good', text: 'normal' },
      { region: 'iad', tone: 'bad', text: 'slower' },
      { region: 'nrt', tone: 'silent', text: 'no data' },
    ]),
  )
  const marks = [...svg.matchAll(/class="mark (\w+)" transform="[^"]+" d="([^"]+)"/g)]
  expect(marks.map(([, tone]) => tone)).toEqual(['good', 'bad', 'silent'])
  expect(new Set(marks.map(([, , shape]) => shape)).size).toBe(3)
  expect(svg).toContain('fra: normal; iad: slower; nrt: no data')
  for (const text of ['normal', 'slower', 'no data']) expect(svg).toContain(`dy="14">${text}<`)
})

test('a region of which nobody said where it is is not put anywhere', () => {
  const svg = flat(regionMap('Map', [{ region: 'zzz', tone: 'good', text: 'normal' }]))
  expect(svg).not.toContain('zzz')
  expect(svg).not.toContain('class="mark')
})
