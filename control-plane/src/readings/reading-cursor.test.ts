import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { formatCursor, parseCursor } from './list-readings.ts'

test('a cursor parses back to its position', () => {
  forAll(
    [
      fc.nat(8_640_000_000_000),
      fc.constantFrom('scheduled', 'confirmation', 'manual'),
      fc.integer({ min: 0, max: 4_294_967_295 }),
    ],
    (slotMs, kind, number) => {
      const position = { slotMs, region: 'fra', kind, number }
      const cursor = formatCursor(position)
      expect(cursor).toMatch(/^[\w-]{1,200}$/)
      expect(parseCursor(cursor)).toEqual(position)
    },
  )
})

test('any other text is null and never throws', () => {
  forAll([fc.string()], (text) => {
    expect(parseCursor(text)).toBeNull()
  })
  const other = Buffer.from('[1,"fra","scheduled",-1]').toString('base64url')
  expect(parseCursor(other)).toBeNull()
})
