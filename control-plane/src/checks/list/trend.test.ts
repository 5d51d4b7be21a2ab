import { CheckStatus } from '@probe-mesh/contracts/check/check'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import type { FlipRow } from '../../status/spans.ts'
import { trendOf } from './trend.ts'

const minuteMs = 60_000
const slots = { fromMs: 0, stepMs: 10 * minuteMs, count: 6 }
const endMs = slots.count * slots.stepMs

const flipsOf = (changes: readonly (readonly [number, CheckStatus])[]): FlipRow[] =>
  changes.map(([minute, to]) => ({ from: 'unknown', to, atMs: minute * minuteMs }))
const trend = (
  changes: readonly (readonly [number, CheckStatus])[],
  more: { knownUntilMs?: number; unwatched?: { fromMs: number; toMs: number }[]; nowMs?: number } = {},
) =>
  trendOf(
    { flips: flipsOf(changes), knownUntilMs: more.knownUntilMs ?? endMs, unwatched: more.unwatched ?? [] },
    slots,
    more.nowMs ?? endMs,
  )

test('a slot has the worst status of its time, however short', () => {
  const seen = trend([
    [-5, 'operational'],
    [12, 'down'],
    [13, 'operational'],
    [31, 'degraded'],
    [33, 'operational'],
  ])
  expect(seen).toEqual(['operational', 'down', 'operational', 'degraded', 'operational', 'operational'])
})

test('time before the first status is no data, and leaves no gap in the slot of the first reading', () => {
  expect(trend([[25, 'operational']])).toEqual([
    'no_data',
    'no_data',
    'operational',
    'operational',
    'operational',
    'operational',
  ])
})

test('a gap is never healthy: no data in whole slots, stale beside measured time', () => {
  const seen = trend([
    [0, 'operational'],
    [15, 'stale'],
    [45, 'operational'],
  ])
  expect(seen).toEqual(['operational', 'stale', 'no_data', 'no_data', 'stale', 'operational'])
})

test('a record counts no longer than the readings it rests on', () => {
  expect(trend([[0, 'operational']], { knownUntilMs: 25 * minuteMs })).toEqual([
    'operational',
    'operational',
    'stale',
    'no_data',
    'no_data',
    'no_data',
  ])
})

test('paused time is no data', () => {
  const unwatched = [{ fromMs: 10 * minuteMs, toMs: 35 * minuteMs }]
  expect(trend([[0, 'down']], { unwatched })).toEqual(['down', 'no_data', 'no_data', 'down', 'down', 'down'])
})

test('slots after now are no data', () => {
  expect(trend([[0, 'operational']], { nowMs: 12 * minuteMs }).slice(1)).toEqual([
    'operational',
    'no_data',
    'no_data',
    'no_data',
    'no_data',
  ])
})

const order = ['down', 'degraded', 'stale', 'operational'] as const

test('matches a walk over every minute', () => {
  const minute = fc.integer({ min: -20, max: 70 })
  forAll(
    [
      fc.array(fc.tuple(minute, fc.constantFrom(...CheckStatus.options)), { maxLength: 12 }),
      minute,
      fc.array(fc.tuple(minute, fc.integer({ min: 1, max: 30 })), { maxLength: 3 }),
      fc.integer({ min: 0, max: 60 }),
    ],
    { numRuns: 500 },
    (changes, knownUntil, pauses, now) => {
      const sorted = changes.toSorted(([a], [b]) => a - b)
      const at = (m: number): CheckStatus | null => {
        if (m >= now || pauses.some(([from, length]) => from <= m && m < from + length)) return null
        const status = sorted.findLast(([from]) => from <= m)?.[1] ?? null
        return status !== null && m >= knownUntil ? 'stale' : status
      }
      const expected = Array.from({ length: slots.count }, (_, n) => {
        const seen = new Set(Array.from({ length: 10 }, (_each, m) => at(n * 10 + m)))
        const measured = seen.has('operational') || seen.has('degraded') || seen.has('down')
        return measured ? order.find((status) => seen.has(status)) : 'no_data'
      })
      const unwatched = pauses.map(([from, length]) => ({
        fromMs: from * minuteMs,
        toMs: (from + length) * minuteMs,
      }))
      const found = trend(sorted, {
        knownUntilMs: knownUntil * minuteMs,
        unwatched,
        nowMs: now * minuteMs,
      })
      expect(found).toEqual(expected)
    },
  )
})
