import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createReporters, reportWindowMs } from './reporters.ts'

const t0 = Date.parse('2026-11-20T12:00:30.000Z')
const minuteMs = 60_000

describe('a reporter', () => {
  test.each([
    ['is counted once at an instant', 0, 'repeated'],
    [
      'is the same until the last millisecond of a quarter of an hour',
      reportWindowMs - 1,
      'repeated',
    ],
    ['is counted again after a quarter of an hour', reportWindowMs, 'counted'],
    ['is the same on a clock that was set back a little', -reportWindowMs + 1, 'repeated'],
    ['is counted again on a clock that was set back by more', -reportWindowMs, 'counted'],
    ['is counted again on a clock that was set back by a day', -86_400_000, 'counted'],
  ])('%s', (_, laterMs, outcome) => {
    const reporters = createReporters()
    expect(reporters.take(['a'], t0)).toBe('counted')
    expect(reporters.take(['a'], t0 + laterMs)).toBe(outcome)
  })

  test('does not begin another quarter by repeating', () => {
    const reporters = createReporters()
    reporters.take(['a'], t0)
    reporters.take(['a'], t0 + 10 * minuteMs)
    expect(reporters.take(['a'], t0 + 15 * minuteMs)).toBe('counted')
  })

  test('is known by any of the hashes, and remembered by the first', () => {
    const reporters = createReporters()
    reporters.take(['yesterday'], t0)
    expect(reporters.take(['today', 'yesterday'], t0)).toBe('repeated')
    expect(reporters.take(['today'], t0)).toBe('counted')
    expect(reporters.take(['tomorrow', 'other'], t0)).toBe('counted')
    expect(reporters.take(['other'], t0)).toBe('counted')
  })

  test('is forgotten in the sixteenth minute, also when nobody reports any more', () => {
    const reporters = createReporters()
    for (let n = 0; n < 100; n += 1) reporters.take([`a${n}`], t0)
    expect(reporters.size(t0 + 15 * minuteMs)).toBe(100)
    expect(reporters.size(t0 + 16 * minuteMs)).toBe(0)
  })

  test('is not counted where no more can be remembered, and is once there is room', () => {
    const reporters = createReporters(2)
    const take = (hash: string, atMs: number) => reporters.take([hash], atMs)
    expect([take('a', t0), take('b', t0), take('c', t0)]).toEqual(['counted', 'counted', 'full'])
    expect(take('a', t0)).toBe('repeated')
    expect(take('c', t0 + 16 * minuteMs)).toBe('counted')
    expect(reporters.size(t0 + 16 * minuteMs)).toBe(1)
  })
})

test('whoever reports whatever in any order, each counts once in any quarter of an hour', () => {
  const step = fc.record({
    laterMs: fc.oneof(
      fc.nat(1_000),
      fc.nat(20 * minuteMs),
      fc.constantFrom(reportWindowMs - 1, reportWindowMs, minuteMs),
    ),
    hash: fc.constantFrom('a github', 'b github', 'a gitlab', 'b gitlab'),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const reporters = createReporters()
      const countedMs = new Map<string, number>()
      let atMs = t0
      for (const { laterMs, hash } of steps) {
        atMs += laterMs
        const isDue = atMs - (countedMs.get(hash) ?? -Infinity) >= reportWindowMs
        expect(reporters.take([hash], atMs)).toBe(isDue ? 'counted' : 'repeated')
        if (isDue) countedMs.set(hash, atMs)
        const held = [...countedMs.values()].filter((ms) => atMs - ms < reportWindowMs)
        expect(reporters.size(atMs)).toBeGreaterThanOrEqual(held.length)
      }
    }),
  )
})
