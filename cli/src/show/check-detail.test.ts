import { expect, test } from 'vitest'
import { checkDetail } from './check-detail.ts'
import { detailOf, nowMs, plain } from './testing.ts'

test('shows how many readings failed when failures recur', () => {
  const statusReason = '1 of 4 regions fail (fra): got 503'
  const intermittent = { failed: 12, of: 40, since: '2026-11-20T09:05:00.000Z' }
  const check = detailOf('api', { status: 'degraded', statusReason, intermittent })
  const text = checkDetail(plain, check, nowMs).join(' ').replaceAll(/\s+/g, ' ')
  expect(text).toContain(
    '1 of 4 regions fail (fra): got 503; fails now and then: 12 of 40 readings failed since 09:05 UTC',
  )
})
