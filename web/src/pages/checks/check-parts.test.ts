import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cronFields } from './heartbeat-section.ts'
import { historyChoice, ranges, stepSeconds } from './history-range.ts'
import type { Range } from './history-range.ts'

test.each<[number | null, string | null]>([
  [null, null],
  [30, null],
  [60, '* * * * *'],
  [90, null],
  [300, '*/5 * * * *'],
  [420, null],
  [3_600, '0 * * * *'],
  [5_400, null],
  [21_600, '0 */6 * * *'],
  [18_000, null],
  [86_400, '0 0 * * *'],
  [172_800, null],
  [604_800, '0 0 * * 0'],
])('a job every %j seconds is %j in a crontab', (seconds, fields) => {
  expect(cronFields(seconds)).toBe(fields)
})

test('every range has steps that are few, whole, and in which each region has a slot', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...(Object.keys(ranges) as Range[])),
      fc.integer({ min: 10, max: 86_400 }),
      (range, interval) => {
        const step = stepSeconds(range, interval)
        expect(step).toBeGreaterThanOrEqual(interval)
        expect((ranges[range] * 3_600) / step).toBeLessThanOrEqual(300)
      },
    ),
  )
})

test.each([
  ['', { range: '24h', region: null }],
  ['range=90d&region=fra', { range: '90d', region: 'fra' }],
  ['range=toString&region=FRA', { range: '24h', region: null }],
  ['range=1h&region=%22%3E', { range: '24h', region: null }],
])('what %j asks for', (query, choice) => {
  expect(historyChoice(new URLSearchParams(query))).toEqual(choice)
})
