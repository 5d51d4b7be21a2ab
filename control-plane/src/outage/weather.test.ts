import type { WeatherVerdict } from '@probe-mesh/contracts/answers'
import { RegionWeather } from '@probe-mesh/contracts/answers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overallWeather, regionWeather, weatherSummary } from './weather.ts'
import type { MeasuredRegion, Percentiles } from './weather.ts'

const percentiles = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})
const week = Array.from({ length: 7 }, () => percentiles(100))

const region = (more: Partial<MeasuredRegion>): MeasuredRegion => ({
  region: 'fra',
  now: percentiles(100),
  days: week,
  quarantined: false,
  ...more,
})

describe('a region is', () => {
  test.each<[string, Partial<MeasuredRegion>, WeatherVerdict]>([
    ['normal at its usual times', {}, 'normal'],
    ['slower at 1.35 times', { now: percentiles(135) }, 'slower'],
    ['normal at just less', { now: percentiles(134.9) }, 'normal'],
    ['normal with only a slow median', { now: { ...percentiles(200), p75Ms: 269 } }, 'normal'],
    ['normal with only a slow tail', { now: { ...percentiles(100), p95Ms: 9e9 } }, 'normal'],
    ['no data without readings', { now: null }, 'no_data'],
    ['no data with 29 of them', { now: percentiles(500, 29) }, 'no_data'],
    ['slower with 30', { now: percentiles(500, 30) }, 'slower'],
    ['no data without a baseline', { now: percentiles(500), days: [] }, 'no_data'],
    ['no data with two days', { now: percentiles(500), days: week.slice(0, 2) }, 'no_data'],
    ['slower with three', { now: percentiles(500), days: week.slice(0, 3) }, 'slower'],
    [
      'no data with three days of which one is thin',
      { now: percentiles(500), days: [...week.slice(0, 2), percentiles(100, 29)] },
      'no_data',
    ],
    [
      'slower than days of one tick of the clock',
      { now: percentiles(500), days: Array.from({ length: 3 }, () => percentiles(0.001)) },
      'slower',
    ],
    [
      'no data against days of less than that',
      { now: percentiles(500), days: Array.from({ length: 3 }, () => percentiles(5e-324)) },
      'no_data',
    ],
    ['no data while it is quarantined', { now: percentiles(500), quarantined: true }, 'no_data'],
    [
      'slower though one day of the week was as slow',
      { now: percentiles(200), days: [percentiles(200), ...week.slice(1)] },
      'slower',
    ],
    [
      'slower where days differ little by themselves',
      {
        now: percentiles(140),
        days: [90, 95, 100, 100, 100, 105, 110].map((ms) => percentiles(ms)),
      },
      'slower',
    ],
    [
      'normal where they differ more',
      {
        now: percentiles(140),
        days: [70, 80, 85, 100, 120, 130, 140].map((ms) => percentiles(ms)),
      },
      'normal',
    ],
  ])('%s', (_, more, verdict) => {
    expect(regionWeather(region(more)).verdict).toBe(verdict)
  })
})

test('a quarantined region shows nothing of what it measured', () => {
  const weather = regionWeather(region({ quarantined: true }))
  expect(weather).toMatchObject({ p50Ms: null, samples: 0, ratio: null })
})

test('whatever was measured, the answer keeps its schema, and verdict and ratio come together', () => {
  const any = fc.record({
    p50Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    p75Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    p95Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    samples: fc.nat(100),
  })
  fc.assert(
    fc.property(
      fc.option(any),
      fc.array(any, { maxLength: 7 }),
      fc.boolean(),
      (now, days, quarantined) => {
        const weather = RegionWeather.parse(
          regionWeather({ region: 'fra', now, days, quarantined }),
        )
        expect(weather.ratio === null).toBe(weather.verdict === 'no_data')
        expect(regionWeather({ region: 'fra', now, days: days.toReversed(), quarantined })).toEqual(
          weather,
        )
      },
    ),
  )
})

const [normal, slower, silent] = [
  regionWeather(region({ region: 'iad' })),
  regionWeather(region({ now: percentiles(150) })),
  regionWeather(region({ region: 'nrt', now: null })),
]
const evidence = { measuredAt: '2026-11-20T12:00:00.000Z', vantage: 'regional' } as const

test.each([
  [[], 'no_data', 'We have too few measurements to say whether the internet is slower than usual.'],
  [
    [silent],
    'no_data',
    'We have too few measurements to say whether the internet is slower than usual.',
  ],
  [
    [normal, silent],
    'normal',
    'Response times are normal for this hour in 1 of 1 region; 1 more gave too little data, measured 2026-11-20 12:00 UTC.',
  ],
  [
    [normal, slower],
    'normal',
    'Response times are slower than usual for this hour in 1 of 2 regions (fra 1.5x), measured 2026-11-20 12:00 UTC.',
  ],
  [
    [slower, slower, normal],
    'slower',
    'Response times are slower than usual for this hour in 2 of 3 regions (fra 1.5x and fra 1.5x), measured 2026-11-20 12:00 UTC.',
  ],
  [
    [slower, silent],
    'slower',
    'Response times are slower than usual for this hour in 1 of 1 region (fra 1.5x); 1 more gave too little data, measured 2026-11-20 12:00 UTC.',
  ],
])('the weather of several regions, %#', (regions, verdict, summary) => {
  expect(overallWeather(regions)).toBe(verdict)
  expect(weatherSummary(regions, evidence)).toBe(summary)
})
