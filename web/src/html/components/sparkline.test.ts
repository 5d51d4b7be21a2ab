import fc from 'fast-check'
import { expect, test } from 'vitest'
import { flat } from '../../testing/flat.ts'
import { sparkline } from './sparkline.ts'

const value = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }))

test('a line is as many pieces as there are runs of values, and nothing is drawn over silence', () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 24 }), (values) => {
      const drawn = flat(
        sparkline(
          values.map((each) => ({ value: each, isBad: false })),
          'text',
        ),
      )
      const line = /<path d="([^"]*)">/.exec(drawn)?.[1] ?? ''
      const begins = values.filter((each, at) => each !== null && (values[at - 1] ?? null) === null)
      expect(line.match(/M/g) ?? []).toHaveLength(begins.length)
      const known = values.filter((each) => each !== null)
      expect(line.match(/[ML]/g) ?? []).toHaveLength(known.length)
      for (const [, y] of line.matchAll(/[ML]\S+ ([\d.-]+)/g)) {
        expect(Number(y)).toBeGreaterThanOrEqual(0)
        expect(Number(y)).toBeLessThanOrEqual(24)
      }
    }),
  )
})

test('a bad step is marked, and the text is the title, escaped', () => {
  const sparks = [
    { value: null, isBad: true },
    { value: 1, isBad: false },
  ]
  const drawn = flat(sparkline(sparks, '<script>"'))
  expect(drawn).toContain('<title>&lt;script&gt;&quot;</title>')
  expect(/class="lapse" d="([^"]*)"/.exec(drawn)?.[1]?.match(/M/g)).toHaveLength(1)
})
