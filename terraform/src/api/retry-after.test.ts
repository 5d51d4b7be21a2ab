import { expect, test } from 'vitest'
import { retryAfterMs } from './retry-after.ts'

const nowMs = Date.UTC(2026, 10, 21, 8, 0, 0)

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['Sat, 21 Nov 2026 08:00:09 GMT', 9_000],
  ['Sat, 21 Nov 2026 07:59:00 GMT', 0],
  ['', null],
  ['-1', null],
  ['1.5', null],
  ['7 s', null],
  ['9999999999', null],
  ['soon', null],
  ['2026-11-21T08:00:09Z', null],
  ['Sat, 21 Nov 2026 08:00:09 CET', null],
  ['Sat, 99 Nov 2026 08:00:09 GMT', null],
])('%j asks for a wait of %s ms', (value, ms) => {
  expect(retryAfterMs(new Headers({ 'retry-after': value }), nowMs)).toBe(ms)
})

test('asks for no wait without the header', () => {
  expect(retryAfterMs(new Headers(), nowMs)).toBeNull()
})
