import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createReporters, reportWindowMs } from './reporters.ts'

const t0 = Date.parse('2026-11-20T12:00:30.000Z')
const minuteMs = 60_000

describe('a reporter', () => {
  test.each([
    ['is counted once at an instant', 0, 'repeated'],
    ['is the same until the last millisecond of a quarter of an hour', reportWindowMs - 1, 'repeated'],
    ['is counted again after a quarter of an hour', reportWindowMs, 'counted'],
    ['is the same on a clock that was set back a little', -reportWindowMs + 1, 'repeated'],
    ['is counted again on a clock that was set back by more', -reportWindowMs, 'counted'],
    ['is counted again on a clock that was set back by a day', -86_400_000, 'counted'],
  ])('%s', (_, laterMs, outcome) => {
    const reporters = createReporters()
    expect(reporters.record(['a'], t0)).toBe('counted')
    expect(reporters.record(['a'], t0 + laterMs)).toBe(outcome)
  })

  test('does not begin another quarter by repeating', () => {
    const reporters = createReporters()
    reporters.record(['a'], t0)
    reporters.record(['a'], t0 + 10 * minuteMs)
    expect(reporters.record(['a'], t0 + 15 * minuteMs)).toBe('counted')
  })

  test('is known by any of the hashes, and remembered by the first', () => {
    const reporters = createReporters()
    reporters.record(['yesterday'], t0)
    expect(reporters.record(['today', 'yesterday'], t0)).toBe('repeated')
    expect(reporters.record(['today'], t0)).toBe('counted')
    expect(reporters.record(['tomorrow', 'other'], t0)).toBe('counted')
    expect(reporters.record(['other'], t0)).toBe('counted')
  })

  test('is forgotten in the sixteenth minute, also when nobody reports any more', () => {
    const reporters = createReporters()
    for (let n = 0; n < 100; n += 1) reporters.record([`a${n}`], t0)
    expect(reporters.size(t0 + 15 * minuteMs)).toBe(100)
    expect(reporters.size(t0 + 16 * minuteMs)).toBe(0)
  })

  test('is not counted where no more can be remembered, and is once there is room', () => {
    const reporters = createReporters(2)
    const record = (hash: string, atMs: number) => reporters.record([hash], atMs)
    expect([record('a', t0), record('b', t0), record('c', t0)]).toEqual(['counted', 'counted', 'full'])
    expect(record('a', t0)).toBe('repeated')
    expect(record('c', t0 + 16 * minuteMs)).toBe('counted')
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
        expect(reporters.record([hash], atMs)).toBe(isDue ? 'counted' : 'repeated')
        if (isDue) countedMs.set(hash, atMs)
        const held = [...countedMs.values()].filter((ms) => atMs - ms < reportWindowMs)
        expect(reporters.size(atMs)).toBeGreaterThanOrEqual(held.length)
      }
    }),
  )
})
