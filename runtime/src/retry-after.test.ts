import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { retryAfterMs, wholeSeconds } from './retry-after.ts'

const nowMs = Date.UTC(2026, 10, 21, 8, 0, 0)

test.each([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0', 0],
  ['9999999999', 9_999_999_999_000],
  ['Sat, 21 Nov 2026 08:00:09 GMT', 9_000],
  ['Sat, 21 Nov 2026 07:59:00 GMT', 0],
  ['', null],
  [null, null],
  [undefined, null],
  ['-1', null],
  ['1.5', null],
  ['7 s', null],
  ['99999999999', null],
  ['soon', null],
  ['2026-11-21', null],
  ['2026-11-21T08:00:09Z', null],
  ['Sat, 21 Nov 2026 08:00:09 CET', null],
  ['Sat, 99 Nov 2026 08:00:09 GMT', null],
])('%j asks for a wait of %s ms', (value, ms) => {
  expect(retryAfterMs(value, nowMs)).toBe(ms)
})

test('keeps the wait within the bounds of the caller', () => {
  const bounds = { minMs: 60_000, maxMs: 3_600_000 }
  expect(['1', '120', '3601', 'soon'].map((value) => retryAfterMs(value, nowMs, bounds))).toEqual([
    60_000,
    120_000,
    3_600_000,
    null,
  ])
})

test('never throws, for any text', () => {
  forAll([fc.string()], (value) => {
    const waitMs = retryAfterMs(value, nowMs)
    expect(waitMs === null || waitMs >= 0).toBe(true)
  })
})

test('formats a wait as whole seconds, rounded up, at least one', () => {
  expect([0, 1, 1_000, 1_001].map(wholeSeconds)).toEqual([1, 1, 1, 2])
})
