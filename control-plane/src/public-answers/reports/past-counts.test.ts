import { expect, test } from 'vitest'
import { quarterMs, usualQuarters } from '../unusual-reports.ts'
import { createUsual, quartersToKnow } from './past-counts.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const weekMs = 7 * 86_400_000
const weekAgo = t0 - weekMs

test('the usual counts are those of the counted quarters', () => {
  const usual = createUsual()
  usual.learn([
    { slug: 'github', quarterMs: weekAgo, reports: 5 },
    { slug: 'gitlab', quarterMs: weekAgo, reports: 7 },
    { slug: 'github', quarterMs: weekAgo - weekMs, reports: 6 },
    { slug: null, quarterMs: weekAgo + quarterMs, reports: 0 },
    { slug: 'github', quarterMs: weekAgo + 2 * quarterMs, reports: 9 },
  ])
  expect(usual.of('github', t0)).toEqual([5, 0, 6])
  expect(usual.of('gitlab', t0)).toEqual([7, 0, 0])
  expect(usual.of('quiet', t0)).toEqual([0, 0, 0])
  expect(usual.of('github', t0 + quarterMs)).toEqual([5, 0, 9, 6])
})

test('there are no usual counts before any quarter was counted', () => {
  expect(createUsual().of('github', t0)).toEqual([])
})

test('one load covers the next hour', () => {
  const known = new Set(quartersToKnow(t0 + 7 * 60_000))
  for (let minute = 7; minute <= 67; minute += 1) {
    const quarters = usualQuarters(t0 + minute * 60_000)
    expect(quarters.filter(({ fromMs }) => !known.has(fromMs))).toEqual([])
  }
  expect(known.size).toBe(8 * 8)
})

test('usual counts shrink and vanish after the loaded hour', () => {
  const usual = createUsual()
  usual.learn(quartersToKnow(t0).map((fromMs) => ({ slug: 'github', quarterMs: fromMs, reports: 1 })))
  expect(usual.of('github', t0 + 4 * quarterMs)).toHaveLength(32)
  expect(usual.of('github', t0 + 5 * quarterMs)).toHaveLength(24)
  expect(usual.of('github', t0 + 8 * quarterMs)).toEqual([])
})
