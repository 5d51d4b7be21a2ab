import { expect, test } from 'vitest'
import { textOf } from '@probe-mesh/runtime/html'
import { duration, milliseconds, percent, time } from './measures.ts'

test.each<[number | null, string]>([
  [null, '-'],
  [1, '100 %'],
  [0.9999999, '99.999 %'],
  [0.99982, '99.982 %'],
  [0.9, '90.000 %'],
  [0.8999, '89.9 %'],
  [0, '0.0 %'],
])('an uptime of %s is %s', (ratio, text) => {
  expect(percent(ratio)).toBe(text)
})

test.each<[number | null, string]>([
  [null, '-'],
  [0.123, '0.12 ms'],
  [9.96, '10 ms'],
  [181.6, '182 ms'],
])('a latency of %s is %s', (value, text) => {
  expect(milliseconds(value)).toBe(text)
})

test.each<[number, string]>([
  [0, '0 seconds'],
  [1, '1 second'],
  [61, '1 minute 1 second'],
  [7_500, '2 hours 5 minutes'],
  [86_400, '1 day'],
  [86_401, '1 day'],
  [-3_600, '1 hour'],
])('%i seconds are %s', (seconds, text) => {
  expect(duration(seconds)).toBe(text)
})

test('an instant is shown in UTC, with its machine-readable form', () => {
  expect(textOf(time('2026-11-20T12:00:05.123Z'))).toBe(
    '<time datetime="2026-11-20T12:00:05.123Z">2026-11-20 12:00:05 UTC</time>',
  )
  expect(textOf(time(null))).toBe('-')
})
