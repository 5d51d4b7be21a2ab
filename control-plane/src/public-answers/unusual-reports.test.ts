import { ReportVolume } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { reportSummary, reportVolume, unusualReportsMin, usualQuarters } from './unusual-reports.ts'
import { minuteMs, t0 } from './testing.ts'

const weekMs = 7 * 24 * 60 * minuteMs
const usual = (count: number): number[] => Array.from({ length: 32 }, () => count)
const now = (count: number) => [{ region: 'fra', atMs: t0, count }]

describe('reports are', () => {
  test.each<[string, number, number[], string]>([
    ['normal without reports', 0, usual(0), 'normal'],
    ['normal at 14 if 0 are usual', 14, usual(0), 'normal'],
    ['unusual at 15 if 0 are usual', 15, usual(0), 'unusual'],
    ['normal at 199 if 100 are usual', 199, usual(100), 'normal'],
    ['unusual at 200 if 100 are usual', 200, usual(100), 'unusual'],
    ['normal at 395 if the usual counts vary', 395, [...usual(80), ...usual(120)], 'normal'],
    ['unusual despite one extreme week', 200, [...usual(100).slice(4), 9e3, 9e3, 9e3, 9e3], 'unusual'],
    ['not judged with 11 counted quarters', 1e6, usual(0).slice(0, 11), 'no_data'],
    ['judged with 12 counted quarters', 1e6, usual(0).slice(0, 12), 'unusual'],
  ])('%s', (_, count, quarters, verdict) => {
    expect(reportVolume(now(count), quarters, t0).verdict).toBe(verdict)
  })
})

test('a report counts for its region in the last 15 and the last 60 minutes', () => {
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

test('reports are compared with the hour around the same instant in each of the last eight weeks', () => {
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
  ['around the current quarter at its start', 0, 0],
  ['around the current quarter in its first half', 7.5 * minuteMs - 1, 0],
  ['around the next quarter in the second half', 7.5 * minuteMs, 15],
  ['around the next quarter at its start', 15 * minuteMs, 15],
])('the compared hour consists of full clock quarters: %s', (_, laterMs, minutes) => {
  const quarters = usualQuarters(t0).map(({ fromMs, toMs }) => ({
    fromMs: fromMs + minutes * minuteMs,
    toMs: toMs + minutes * minuteMs,
  }))
  expect(usualQuarters(t0 + laterMs)).toEqual(quarters)
})

test('few reports are never unusual, more reports never lower the verdict, and order does not matter', () => {
  const minute = fc.record({
    region: fc.constantFrom('fra', 'iad', 'unknown'),
    atMs: fc.integer({ min: t0 - 70 * minuteMs, max: t0 }),
    count: fc.nat(100),
  })
  forAll(
    [fc.array(minute, { maxLength: 50 }), fc.array(fc.nat(200), { maxLength: 32 })],
    (reports, quarters) => {
      const volume = ReportVolume.parse(reportVolume(reports, quarters, t0))
      expect(reportVolume(reports.toReversed(), quarters.toReversed(), t0)).toEqual(volume)
      if (volume.last15Minutes < unusualReportsMin) expect(volume.verdict).not.toBe('unusual')
      if (volume.verdict !== 'unusual') return
      expect(reportVolume([...reports, ...now(1)], quarters, t0).verdict).toBe('unusual')
    },
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
])('the summary of %i reports ends with the result of our own probes', (count, quarters, summary) => {
  expect(reportSummary(reportVolume(now(count), quarters, t0), 'GitHub is up.')).toBe(summary)
})
