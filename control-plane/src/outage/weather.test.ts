import type { WeatherVerdict } from '@probe-mesh/contracts/outage/answers'
import { RegionWeather } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { overallWeather, regionWeather, weatherSummary } from './weather.ts'
import { usualPaces } from './paces.ts'
import type { Pace } from './paces.ts'
import type { MeasuredRegion, Percentiles } from './weather.ts'

const percentiles = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})
const week = Array.from({ length: 7 }, () => percentiles(100))

const paceOf = (ratio: number, services = 20): Pace => ({ ratio, services })
const usualWeek = Array.from({ length: 7 }, () => paceOf(1))

const region = (more: Partial<MeasuredRegion>): MeasuredRegion => ({
  region: 'fra',
  now: percentiles(100),
  days: week,
  pace: paceOf(1),
  dayPaces: usualWeek,
  quarantined: false,
  ...more,
})

describe('a region is', () => {
  test.each<[string, Partial<MeasuredRegion>, WeatherVerdict]>([
    ['normal at its usual times', {}, 'normal'],
    ['slower at 1.38 times', { pace: paceOf(1.38) }, 'slower'],
    ['normal at just less', { pace: paceOf(1.379) }, 'normal'],
    ['normal where all of it together is slower', { now: percentiles(384) }, 'normal'],
    ['no data without readings', { now: null }, 'no_data'],
    ['no data with 29 of them', { pace: paceOf(5), now: percentiles(500, 29) }, 'no_data'],
    ['slower with 30', { pace: paceOf(5), now: percentiles(500, 30) }, 'slower'],
    ['no data without a baseline', { pace: paceOf(5), days: [] }, 'no_data'],
    ['no data with two days', { pace: paceOf(5), days: week.slice(0, 2) }, 'no_data'],
    ['no data without a service that has one', { pace: null }, 'no_data'],
    ['no data with two services', { pace: paceOf(5, 2) }, 'no_data'],
    ['slower with three', { pace: paceOf(5, 3) }, 'slower'],
    [
      'no data with three days of which one is thin',
      { pace: paceOf(5), dayPaces: [...usualWeek.slice(0, 2), paceOf(1, 2)] },
      'no_data',
    ],
    ['no data while it is quarantined', { pace: paceOf(5), quarantined: true }, 'no_data'],
    [
      'slower though one day of the week was as slow',
      { pace: paceOf(2), dayPaces: [paceOf(2), ...usualWeek.slice(1)] },
      'slower',
    ],
    [
      'slower where days differ little by themselves',
      {
        pace: paceOf(1.4),
        dayPaces: [0.9, 0.95, 1, 1, 1, 1.05, 1.1].map((ratio) => paceOf(ratio)),
      },
      'slower',
    ],
    [
      'normal where they differ more',
      {
        pace: paceOf(1.4),
        dayPaces: [0.7, 0.8, 0.85, 1, 1.2, 1.3, 1.4].map((ratio) => paceOf(ratio)),
      },
      'normal',
    ],
  ])('%s', (_, more, verdict) => {
    expect(regionWeather(region(more)).verdict).toBe(verdict)
  })
})

describe('the pace of a region', () => {
  const week = (ms: number) => Array.from({ length: 7 }, () => ms)
  const near = (index: number) => ({ slug: `near-${index}`, days: week(12) })
  const far = (index: number) => ({ slug: `far-${index}`, days: week(180) })
  const ten = Array.from({ length: 10 }, (_, index) => index)

  test('is what it was where the fast half of its services fails', () => {
    const paces = usualPaces([...ten.map(near), ...ten.map(far)])
    expect(paces.paceOf([...ten.map(() => null), ...ten.map(() => 180)])).toEqual({
      ratio: 1,
      services: 10,
    })
    expect(paces.days).toEqual(Array.from({ length: 7 }, () => ({ ratio: 1, services: 20 })))
  })

  test('is that of its median service', () => {
    const times = ten.map((n) => (n < 4 ? 12 : 24))
    expect(usualPaces(ten.map(near)).paceOf(times)).toEqual({ ratio: 2, services: 10 })
  })

  test('counts a service of two probes once, and nothing that has fewer than three days', () => {
    const thin = { slug: 'thin', days: [1, 1, null] }
    expect(usualPaces([near(0), near(0), thin]).paceOf([24, 36, 900])).toEqual({
      ratio: 2.5,
      services: 1,
    })
    expect([usualPaces([thin]).paceOf([900]), usualPaces([thin]).days]).toEqual([null, []])
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
  const anyPace = fc.record({
    ratio: fc.double({ min: 0, max: 1e6, noNaN: true }),
    services: fc.nat(100),
  })
  fc.assert(
    fc.property(
      fc.option(any),
      fc.array(any, { maxLength: 7 }),
      fc.boolean(),
      fc.option(anyPace),
      fc.array(anyPace, { maxLength: 7 }),
      (now, days, quarantined, pace, dayPaces) => {
        const one = { region: 'fra', now, days, quarantined, pace, dayPaces }
        const weather = RegionWeather.parse(regionWeather(one))
        expect(weather.ratio === null).toBe(weather.verdict === 'no_data')
        const reversed = { days: days.toReversed(), dayPaces: dayPaces.toReversed() }
        expect(regionWeather({ ...one, ...reversed })).toEqual(weather)
      },
    ),
  )
})

const [normal, slower, silent] = [
  regionWeather(region({ region: 'iad' })),
  regionWeather(region({ pace: paceOf(1.5) })),
  regionWeather(region({ region: 'nrt', now: null })),
]
const evidence = { measuredAt: '2026-11-20T12:00:00.000Z', vantage: 'regional' } as const

test.each([
  [[], 'no_data', 'We have too few measurements to say whether the internet is slower than usual.'],
  [[silent], 'no_data', 'We have too few measurements to say whether the internet is slower than usual.'],
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

test('from one machine the regions are not counted', () => {
  const local = { ...evidence, vantage: 'local' } as const
  expect(weatherSummary([slower, normal, silent], local)).toBe(
    'From this machine, response times are slower than usual for this hour (fra 1.5x), measured 2026-11-20 12:00 UTC.',
  )
})
