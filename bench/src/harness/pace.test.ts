import { expect, test } from 'vitest'
import { measurePace } from './pace.ts'

test('the pace is in whole tenths of a millisecond', () => {
  const pace = measurePace(1)
  expect(pace).toBeGreaterThan(0)
  expect(pace).toBe(Number(pace.toFixed(1)))
})
