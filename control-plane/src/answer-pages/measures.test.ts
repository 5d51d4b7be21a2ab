import { expect, test } from 'vitest'
import { textOf } from './markup.ts'
import { duration, milliseconds, time } from './measures.ts'

test.each([
  [0, '0 seconds'],
  [1, '1 second'],
  [59.4, '59 seconds'],
  [59.6, '1 minute'],
  [60, '1 minute'],
  [61, '1 minute 1 second'],
  [3_600, '1 hour'],
  [3_601, '1 hour'],
  [9_000, '2 hours 30 minutes'],
  [90_061, '1 day 1 hour'],
  [-90, '1 minute 30 seconds'],
])('%d seconds are %s', (seconds, text) => expect(duration(seconds)).toBe(text))

test.each([
  [null, '-'],
  [0, '0 ms'],
  [0.84, '0.84 ms'],
  [1.26, '1.3 ms'],
  [9.96, '10 ms'],
  [181.5, '182 ms'],
])('a latency of %j is %s', (latencyMs, text) => expect(milliseconds(latencyMs)).toBe(text))

test('an instant is said for people and for programs', () => {
  expect(textOf(time('2026-11-20T12:00:05.678Z'))).toBe(
    '<time datetime="2026-11-20T12:00:05.678Z">2026-11-20 12:00:05 UTC</time>',
  )
  expect(textOf(time(null))).toBe('-')
})
