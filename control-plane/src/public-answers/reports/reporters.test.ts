import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { createReporters, reportWindowMs } from './reporters.ts'

const t0 = Date.parse('2026-11-20T12:00:30.000Z')
const minuteMs = 60_000

describe('a reporter', () => {
  test.each([
    ['counts once at one instant', 0, 'repeated'],
    ['counts once until just before 15 minutes have passed', reportWindowMs - 1, 'repeated'],
    ['counts again after 15 minutes', reportWindowMs, 'counted'],
    ['counts once if the clock is set back by less than 15 minutes', -reportWindowMs + 1, 'repeated'],
    ['counts again if the clock is set back by 15 minutes', -reportWindowMs, 'counted'],
    ['counts again if the clock is set back by a day', -86_400_000, 'counted'],
  ])('%s', (_, laterMs, outcome) => {
    const reporters = createReporters()
    expect(reporters.record(['a'], t0)).toBe('counted')
    expect(reporters.record(['a'], t0 + laterMs)).toBe(outcome)
  })

  test('does not extend the 15 minutes by repeating a report', () => {
    const reporters = createReporters()
    reporters.record(['a'], t0)
    reporters.record(['a'], t0 + 10 * minuteMs)
    expect(reporters.record(['a'], t0 + 15 * minuteMs)).toBe('counted')
  })

  test('is recognized by any of its hashes, and stored under the first', () => {
    const reporters = createReporters()
    reporters.record(['yesterday'], t0)
    expect(reporters.record(['today', 'yesterday'], t0)).toBe('repeated')
    expect(reporters.record(['today'], t0)).toBe('counted')
    expect(reporters.record(['tomorrow', 'other'], t0)).toBe('counted')
    expect(reporters.record(['other'], t0)).toBe('counted')
  })

  test('is forgotten in the 16th minute, even without new reports', () => {
    const reporters = createReporters()
    for (let n = 0; n < 100; n += 1) reporters.record([`a${n}`], t0)
    expect(reporters.size(t0 + 15 * minuteMs)).toBe(100)
    expect(reporters.size(t0 + 16 * minuteMs)).toBe(0)
  })

  test('does not count while the memory is full, and counts once there is space', () => {
    const reporters = createReporters(2)
    const record = (hash: string, atMs: number) => reporters.record([hash], atMs)
    expect([record('a', t0), record('b', t0), record('c', t0)]).toEqual(['counted', 'counted', 'full'])
    expect(record('a', t0)).toBe('repeated')
    expect(record('c', t0 + 16 * minuteMs)).toBe('counted')
    expect(reporters.size(t0 + 16 * minuteMs)).toBe(1)
  })
})

test('each reporter counts once in any 15 minutes, for any sequence of reports', () => {
  const step = fc.record({
    laterMs: fc.oneof(
      fc.nat(1_000),
      fc.nat(20 * minuteMs),
      fc.constantFrom(reportWindowMs - 1, reportWindowMs, minuteMs),
    ),
    hash: fc.constantFrom('a github', 'b github', 'a gitlab', 'b gitlab'),
  })
  forAll([fc.array(step, { maxLength: 200 })], (steps) => {
    const reporters = createReporters()
    const countedMs = new Map<string, number>()
    let atMs = t0
    for (const { laterMs, hash } of steps) {
      atMs += laterMs
      const isDue = atMs - (countedMs.get(hash) ?? -Infinity) >= reportWindowMs
      expect(reporters.record([hash], atMs)).toBe(isDue ? 'counted' : 'repeated')
      if (isDue) countedMs.set(hash, atMs)
      const recent = [...countedMs.values()].filter((ms) => atMs - ms < reportWindowMs)
      expect(reporters.size(atMs)).toBeGreaterThanOrEqual(recent.length)
    }
  })
})
