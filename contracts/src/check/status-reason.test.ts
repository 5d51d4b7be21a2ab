import { expect, test } from 'vitest'
import { fullStatusReason } from './check.ts'

const intermittent = { failed: 12, of: 40, since: '2026-11-22T14:05:30.000Z' }
const share = 'fails now and then: 12 of 40 readings failed since 14:05 UTC'
const withShare = 'comes and goes: 12 of 40 readings failed since 14:05 UTC (fra)'
const fails = '1 of 2 regions fail (fra): got 503'

test.each<[string | null, typeof intermittent | undefined, string | null]>([
  [null, undefined, null],
  [fails, undefined, fails],
  [fails, intermittent, `${fails}; ${share}`],
  [null, intermittent, share],
  [withShare, intermittent, withShare],
])('%j with %j', (statusReason, spell, full) => {
  const check = { statusReason, ...(spell !== undefined && { intermittent: spell }) }
  expect(fullStatusReason(check)).toBe(full)
})
