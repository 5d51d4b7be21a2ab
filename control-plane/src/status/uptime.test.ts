import { expect, test } from 'vitest'
import { uptimeOf } from './uptime.ts'

const hour = 3_600_000
const now = 1_700_000_000_000

test('uptime is the share of measured time that was not down', () => {
  const flips = [
    { from: 'unknown', to: 'operational', atMs: now - 10 * hour },
    { from: 'operational', to: 'down', atMs: now - 5 * hour },
    { from: 'down', to: 'operational', atMs: now - 4 * hour },
  ] as const
  expect(uptimeOf(flips, now).day).toBe(0.9)
})

test('time in which nothing was measured counts neither way', () => {
  const flips = [
    { from: 'unknown', to: 'operational', atMs: now - 10 * hour },
    { from: 'operational', to: 'stale', atMs: now - 8 * hour },
    { from: 'stale', to: 'down', atMs: now - 2 * hour },
  ] as const
  expect(uptimeOf(flips, now).day).toBe(0.5)
})

test('degraded time is measured and not down', () => {
  expect(uptimeOf([{ from: 'unknown', to: 'degraded', atMs: now - hour }], now).week).toBe(1)
})

test('a flip before the window holds into it, and only into it', () => {
  const flips = [
    { from: 'unknown', to: 'down', atMs: now - 48 * hour },
    { from: 'down', to: 'operational', atMs: now - 12 * hour },
  ] as const
  expect(uptimeOf(flips, now)).toEqual({ day: 0.5, week: 0.25, month: 0.25, quarter: 0.25 })
})

test('nothing measured is null, never a number', () => {
  expect(uptimeOf([], now)).toEqual({ day: null, week: null, month: null, quarter: null })
})
