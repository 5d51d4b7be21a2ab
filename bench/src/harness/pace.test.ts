import { expect, test } from 'vitest'
import { measurePace } from './pace.ts'

test('a pace is a time, in whole tenths of a millisecond', () => {
  const pace = measurePace()
  expect(pace).toBeGreaterThan(0)
  expect(pace).toBe(Number(pace.toFixed(1)))
})
