import { expect, test } from 'vitest'
import { monthOf, nextMonthMs } from './quota.ts'

test.each([
  ['2026-11-01T00:00:00.000Z', '2026-11-01'],
  ['2026-10-31T23:59:59.999Z', '2026-10-01'],
  ['2026-12-31T23:59:59.999Z', '2026-12-01'],
  ['2028-02-29T12:00:00.000Z', '2028-02-01'],
])('the month of %s is %s', (at, month) => {
  expect(monthOf(Date.parse(at))).toBe(month)
})

test.each([
  ['2026-11-01T00:00:00.000Z', '2026-12-01T00:00:00.000Z'],
  ['2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00.000Z', '2028-03-01T00:00:00.000Z'],
])('the month of %s ends at %s', (at, next) => {
  expect(nextMonthMs(Date.parse(at))).toBe(Date.parse(next))
})
