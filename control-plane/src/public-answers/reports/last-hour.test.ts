import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { expect, test } from 'vitest'
import { createLastHour } from './last-hour.ts'
import { spreadQuarter } from './reports.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const minuteMs = 60_000
const one = { slug: 'github', region: 'fra', count: 1 }

test('adds up reports by service, region and minute', () => {
  const hour = createLastHour()
  hour.add({ ...one, atMs: t0 })
  hour.add({ ...one, atMs: t0 + minuteMs - 1 })
  hour.add({ ...one, atMs: t0, region: 'unknown' })
  hour.add({ ...one, atMs: t0 + minuteMs, count: 3 })
  hour.add({ ...one, atMs: t0, slug: 'gitlab' })
  expect(hour.of('github', t0 + minuteMs)).toEqual([
    { region: 'fra', atMs: t0, count: 2 },
    { region: 'unknown', atMs: t0, count: 1 },
    { region: 'fra', atMs: t0 + minuteMs, count: 3 },
  ])
  expect(hour.of('gitlab', t0)).toEqual([{ region: 'fra', atMs: t0, count: 1 }])
  expect(hour.of('other', t0)).toEqual([])
})

test('drops a minute one hour after its start, with or without new reports', () => {
  const hour = createLastHour()
  hour.add({ ...one, atMs: t0 + minuteMs - 1 })
  expect(hour.of('github', t0 + 60 * minuteMs - 1)).toHaveLength(1)
  expect(hour.of('github', t0 + 60 * minuteMs)).toEqual([])
  hour.add({ ...one, atMs: t0 + 60 * minuteMs })
  expect(hour.of('github', t0)).toEqual([{ region: 'fra', atMs: t0 + 60 * minuteMs, count: 1 }])
})

test('keeps at most sixty minutes per region, for any number of reports', () => {
  const hour = createLastHour()
  const regions = ['fra', 'iad', 'unknown']
  for (let second = 0; second < 3 * 3_600; second += 1) {
    for (const region of regions) hour.add({ ...one, region, atMs: t0 + second * 1_000 })
  }
  const minutes = hour.of('github', t0 + 3 * 3_600_000 - 1)
  expect(minutes).toHaveLength(3 * 60)
  expect(minutes.every(({ count }) => count === 60)).toBe(true)
})

test.each([
  ['a past quarter over all its minutes', 31, 20, [3, ...Array<number>(14).fill(2)]],
  ['the current quarter over the minutes that have begun', 8, 2, [3, 3, 2]],
  ['a quarter that has just begun in its first minute', 8, 0, [8]],
  ['a quarter in the future, after the clock was set back, in its first minute', 8, -100, [8]],
  ['few reports over the first minutes of the quarter', 2, 20, [1, 1]],
])('spreads the reports of %s', (_, reports, minutes, counts) => {
  const quarter = { slug: 'github', region: 'fra', quarterMs: t0, reports }
  const spread = spreadQuarter(quarter, t0 + minutes * minuteMs)
  expect(spread).toEqual(counts.map((count, at) => ({ atMs: t0 + at * minuteMs, count })))
})

test('spreads exactly the counted reports, and none into the future', () => {
  forAll([fc.nat(100_000), fc.nat(120 * minuteMs)], (reports, laterMs) => {
    const quarter = { slug: 'github', region: 'fra', quarterMs: t0, reports }
    const spread = spreadQuarter(quarter, t0 + laterMs)
    expect(spread.reduce((sum, { count }) => sum + count, 0)).toBe(reports)
    expect(spread.every(({ atMs }) => atMs <= t0 + laterMs)).toBe(true)
  })
})
