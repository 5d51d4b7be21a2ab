import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { placeOf } from '../../html/components/region-places.ts'
import { labelWidth, placeLabels } from './place-labels.ts'
import { mapSize, projected } from './projection.ts'
import { regionMap } from './region-map.ts'

const known =
  'iad sjc fra nrt ams arn bom cdg dfw dub gru hkg icn jnb lhr mad ord scl sea sin syd waw yyz'.split(' ')

test('every known place is on the map, west left of east and north above south', () => {
  const points = known.map((code) => projected(placeOf(code) ?? { lon: 0, lat: 0 }))
  for (const { x, y } of points) {
    expect(x > 0 && x < mapSize.width && y > 0 && y < mapSize.height).toBe(true)
  }
  const of = (code: string) => projected(placeOf(code) ?? { lon: 0, lat: 0 })
  expect(of('sjc').x).toBeLessThan(of('iad').x)
  expect(of('iad').x).toBeLessThan(of('fra').x)
  expect(of('fra').x).toBeLessThan(of('nrt').x)
  expect(of('arn').y).toBeLessThan(of('jnb').y)
})

const rooms = [
  { width: 620, height: 265, labelHeight: 32 },
  { width: 280, height: 120, labelHeight: 14 },
]

test.each(rooms)(
  'wherever up to ten regions are, no label lies on another, on a mark, or off a map of $width px',
  (room) => {
    const region = fc.record({
      code: fc.constantFrom(...known),
      text: fc.constantFrom('no data', 'normal, 9.5 ms', 'slower, 12345 ms', 'no verdict, 121 ms'),
    })
    forAll([fc.uniqueArray(region, { selector: ({ code }) => code, maxLength: 10 })], (regions) => {
      const scale = room.width / mapSize.width
      const marks = regions.map(({ code, text }) => {
        const { x, y } = projected(placeOf(code) ?? { lon: 0, lat: 0 })
        return { x: x * scale, y: y * scale, width: labelWidth(room.labelHeight > 20 ? text : code) }
      })
      const labels = placeLabels(marks, room)
      for (const [index, label] of labels.entries()) {
        const { x, y, width } = label
        expect(x >= 0 && y >= 0).toBe(true)
        expect(x + width <= room.width && y + room.labelHeight <= room.height).toBe(true)
        for (const other of labels.slice(index + 1)) {
          const isApart = x + width <= other.x || other.x + other.width <= x
          expect(isApart || Math.abs(y - other.y) >= room.labelHeight).toBe(true)
        }
        for (const mark of marks.filter((_, at) => at !== index)) {
          const isWithin = mark.x > x && mark.x < x + width
          expect(isWithin && mark.y > y && mark.y < y + room.labelHeight).toBe(false)
        }
      }
    })
  },
)

test('a state has a shape, a colour and words', () => {
  const svg = flat(
    regionMap('Map', [
      { region: 'fra', tone: 'good', text: 'normal' },
      { region: 'iad', tone: 'bad', text: 'slower' },
      { region: 'sjc', tone: 'uncertain', text: 'degraded' },
      { region: 'nrt', tone: 'silent', text: 'no data' },
    ]),
  )
  const marks = [...svg.matchAll(/class="mark (\w+)" d="([^"]+)"/g)]
  expect(marks.map(([, tone]) => tone)).toEqual(['good', 'bad', 'uncertain', 'silent'])
  expect(new Set(marks.map(([, , shape]) => shape)).size).toBe(4)
  expect(svg).toContain('fra: normal; iad: slower; sjc: degraded; nrt: no data</desc>')
  for (const text of ['Frankfurt', 'normal', 'slower', 'no data']) expect(svg).toContain(`>${text}</tspan>`)
})

test('a region without a known place is left out', () => {
  const svg = flat(regionMap('Map', [{ region: 'zzz', tone: 'good', text: 'normal' }]))
  expect(svg).not.toContain('zzz')
  expect(svg).not.toContain('class="mark')
})
