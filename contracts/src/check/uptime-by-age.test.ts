import { expect, test } from 'vitest'
import { uptimeOfAge } from './uptime-by-age.ts'

const nowMs = Date.parse('2026-11-20T12:00:00.000Z')
const uptime = { day: 0.9, week: 0.9, month: 0.9, quarter: 0.9 }

test.each([
  [0, ['day']],
  [0.9, ['day']],
  [1, ['day', 'week']],
  [8, ['day', 'week', 'month']],
  [30, ['day', 'week', 'month', 'quarter']],
  [400, ['day', 'week', 'month', 'quarter']],
])('a check of %d days has no uptime of times that it does not exist', (days, shown) => {
  const createdAt = new Date(nowMs - days * 86_400_000).toISOString()
  const found = Object.entries(uptimeOfAge(uptime, createdAt, nowMs)).filter(([, value]) => value !== null)
  expect(found.map(([key]) => key)).toEqual(shown)
})
