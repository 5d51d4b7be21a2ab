import { expect, test } from 'vitest'
import { awaitedMsMax, isAwaited } from './welcome-page.ts'

const createdAt = '2026-11-20T12:00:00.000Z'
const start = Date.parse(createdAt)
const region = (measuredAt: string | null) => ({ measuredAt }) as never

test.each([
  ['nothing came yet', [null, null], 0, true],
  ['one is missing', [createdAt, null], awaitedMsMax - 1, true],
  ['one is missing, and it is too late', [createdAt, null], awaitedMsMax, false],
  ['all came', [createdAt, createdAt], 0, false],
])('%s', (_what, measured, afterMs, expected) => {
  const check = { createdAt, regionStatuses: measured.map(region) }
  expect(isAwaited(check, start + afterMs)).toBe(expected)
})
