import { ReportVolume } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { reportSummary, reportVolume, unusualReportsMin, usualQuarters } from './unusual-reports.ts'
import { minuteMs, t0 } from './testing.ts'

const weekMs = 7 * 24 * 60 * minuteMs
const usual = (count: number): number[] => Array.from({ length: 32 }, () => count)
const now = (count: number) => [{ region: 'fra', atMs: t0, count }]

describe('reports are', () => {
  test.each<[string, number, number[], string]>([
    ['normal when nobody reports', 0, usual(0), 'normal'],
    ['normal at fourteen where there are none', 14, usual(0), 'normal'],
    ['unusual at fifteen where there are none', 15, usual(0), 'unusual'],
    ['normal at 199 where a hundred are usual', 199, usual(100), 'normal'],
    ['unusual at 200 where a hundred are usual', 200, usual(100), 'unusual'],
    ['normal at many where they vary', 395, [...usual(80), ...usual(120)], 'normal'],
    ['unusual though one week was wild', 200, [...usual(100).slice(4), 9e3, 9e3, 9e3, 9e3], 'unusual'],
    ['of unknown use with eleven quarters counted', 1e6, usual(0).slice(0, 11), 'no_data'],
    ['judged with twelve', 1e6, usual(0).slice(0, 12), 'unusual'],
  ])('%s', (_, count, quarters, verdict) => {
    expect(reportVolume(now(count), quarters, t0).verdict).toBe(verdict)
  })
})

test('a report counts for fifteen and for sixty minutes, by its region', () => {
  const reports = [
    { region: 'fra', atMs: t0, count: 1 },
    { region: 'fra', atMs: t0 - 15 * minuteMs + 1, count: 2 },
    { region: 'unknown', atMs: t0 - 15 * minuteMs, count: 4 },
    { region: 'unknown', atMs: t0 - 60 * minuteMs + 1, count: 8 },
    { region: 'iad', atMs: t0 - 60 * minuteMs, count: 16 },
    { region: 'iad', atMs: t0 + 1, count: 32 },
  ]
  expect(reportVolume(reports, usual(3), t0)).toEqual({
    last15Minutes: 3,
    last60Minutes: 15,
    usual15Minutes: 3,
    verdict: 'normal',
    regions: [
      { region: 'fra', last15Minutes: 3, last60Minutes: 3 },
      { region: 'unknown', last15Minutes: 0, last60Minutes: 12 },
    ],
  })
})

test('now is compared with the hour around the same instant of the last eight weeks', () => {
  const quarters = usualQuarters(t0)
  expect(quarters).toHaveLength(32)
  expect(quarters.slice(0, 4).map(({ fromMs }) => (fromMs - t0 + weekMs) / minuteMs)).toEqual([
    -30, -15, 0, 15,
  ])
  expect(quarters.at(-1)).toEqual({
    fromMs: t0 - 8 * weekMs + 15 * minuteMs,
    toMs: t0 - 8 * weekMs + 30 * minuteMs,
  })
})

test.each([
  ['at the full quarter', 0, 0],
  ['until half of it has passed', 7.5 * minuteMs - 1, 0],
  ['from half of it on, by the next', 7.5 * minuteMs, 15],
  ['until that one', 15 * minuteMs, 15],
])('the hour is one of full quarters of the clock: %s', (_, laterMs, minutes) => {
  const quarters = usualQuarters(t0).map(({ fromMs, toMs }) => ({
    fromMs: fromMs + minutes * minuteMs,
    toMs: toMs + minutes * minuteMs,
  }))
  expect(usualQuarters(t0 + laterMs)).toEqual(quarters)
})

test('whatever is reported, few are never unusual, one more is never less so, and order is irrelevant', () => {
  const minute = fc.record({
    region: fc.constantFrom('fra', 'iad', 'unknown'),
    atMs: fc.integer({ min: t0 - 70 * minuteMs, max: t0 }),
    count: fc.nat(100),
  })
  fc.assert(
    fc.property(
      fc.array(minute, { maxLength: 50 }),
      fc.array(fc.nat(200), { maxLength: 32 }),
      (reports, quarters) => {
        const volume = ReportVolume.parse(reportVolume(reports, quarters, t0))
        expect(reportVolume(reports.toReversed(), quarters.toReversed(), t0)).toEqual(volume)
        if (volume.last15Minutes < unusualReportsMin) expect(volume.verdict).not.toBe('unusual')
        if (volume.verdict !== 'unusual') return
        expect(reportVolume([...reports, ...now(1)], quarters, t0).verdict).toBe('unusual')
      },
    ),
  )
})

test.each([
  [
    1,
    usual(0),
    '1 person reports problems in the last 15 minutes, which is not unusual for this hour (usually 0); our own probes: GitHub is up.',
  ],
  [
    80,
    usual(2),
    '80 people report problems in the last 15 minutes, which is unusual for this hour (usually 2); our own probes: GitHub is up.',
  ],
  [
    80,
    [],
    '80 people report problems in the last 15 minutes, and the usual number is not known yet; our own probes: GitHub is up.',
  ],
])('%i reports are told beside our own probes', (count, quarters, summary) => {
  expect(reportSummary(reportVolume(now(count), quarters, t0), 'GitHub is up.')).toBe(summary)
})
