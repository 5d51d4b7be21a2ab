import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { cronFields } from './heartbeat-section.ts'
import { historyChoice, ranges, stepSeconds, type Range } from './history-range.ts'

const hourMs = 3_600_000
const nowMs = Date.parse('2026-11-20T12:00:00.000Z')

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

test('every range has few, whole steps with a slot in each region', () => {
  forAll(
    [fc.constantFrom(...(Object.keys(ranges) as Range[])), fc.integer({ min: 10, max: 86_400 })],
    (range, interval) => {
      const choice = { fromMs: nowMs - ranges[range] * hourMs, toMs: nowMs }
      const step = stepSeconds(choice, interval)
      expect(step).toBeGreaterThanOrEqual(interval)
      expect((ranges[range] * 3_600) / step).toBeLessThanOrEqual(300)
    },
  )
})

const bornHoursAgo = (hours: number) => ({ createdAt: new Date(nowMs - hours * hourMs).toISOString() })

test.each([
  ['', 0.5, '1h'],
  ['', 2, '6h'],
  ['', 100, '24h'],
  ['range=90d', 0.5, '90d'],
  ['range=toString', 100, '24h'],
  ['range=1h%22%3E', 100, '24h'],
  ['from=a&to=b', 100, '24h'],
  ['from=2&to=1', 100, '24h'],
])('the address %j of a check that is %d hours old shows %s', (query, age, range) => {
  const choice = historyChoice(new URLSearchParams(query), bornHoursAgo(age), nowMs)
  expect(choice).toEqual({
    range,
    fromMs: nowMs - ranges[range as Range] * hourMs,
    toMs: nowMs,
  })
})

test('a custom window lasts 5 minutes or more, ends by now and starts within 90 days', () => {
  const spanMs = fc.integer({ min: -200 * 24 * hourMs, max: 10 * 24 * hourMs }).map((ms) => nowMs + ms)
  forAll([spanMs, spanMs], (from, to) => {
    const query = new URLSearchParams({ from: String(from), to: String(to) })
    const { fromMs, toMs } = historyChoice(query, bornHoursAgo(3_000), nowMs)
    expect(toMs - fromMs).toBeGreaterThanOrEqual(300_000)
    expect(toMs).toBeLessThanOrEqual(nowMs)
    expect(fromMs).toBeGreaterThanOrEqual(nowMs - 90 * 24 * hourMs)
  })
})
