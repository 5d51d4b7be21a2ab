import { RegionWeather, type WeatherVerdict } from '@probe-mesh/contracts/outage/internet'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  overallWeather,
  regionWeather,
  weatherSummary,
  type MeasuredRegion,
  type Percentiles,
} from './weather.ts'
import { usualTimesOf, type ResponseRatio } from './response-ratios.ts'

const percentiles = (p50Ms: number, samples = 600): Percentiles => ({
  p50Ms,
  p75Ms: 2 * p50Ms,
  p95Ms: 5 * p50Ms,
  samples,
})
const week = Array.from({ length: 7 }, () => percentiles(100))

const ratioOf = (ratio: number, services = 20): ResponseRatio => ({ ratio, services })
const usualWeek = Array.from({ length: 7 }, () => ratioOf(1))

const region = (more: Partial<MeasuredRegion>): MeasuredRegion => ({
  region: 'fra',
  now: percentiles(100),
  days: week,
  responseRatio: ratioOf(1),
  dayRatios: usualWeek,
  quarantined: false,
  ...more,
})

describe('the weather of a region is', () => {
  test.each<[string, Partial<MeasuredRegion>, WeatherVerdict]>([
    ['normal at usual response times', {}, 'normal'],
    ['slower at 1.38 times the usual', { responseRatio: ratioOf(1.38) }, 'slower'],
    ['normal just below 1.38 times', { responseRatio: ratioOf(1.379) }, 'normal'],
    ['normal if only the median over all services is slower', { now: percentiles(384) }, 'normal'],
    ['no_data without readings', { now: null }, 'no_data'],
    ['no_data with 29 readings', { responseRatio: ratioOf(5), now: percentiles(500, 29) }, 'no_data'],
    ['slower with 30 readings', { responseRatio: ratioOf(5), now: percentiles(500, 30) }, 'slower'],
    ['no_data without a baseline', { responseRatio: ratioOf(5), days: [] }, 'no_data'],
    ['no_data with a baseline of two days', { responseRatio: ratioOf(5), days: week.slice(0, 2) }, 'no_data'],
    ['no_data if no service has a usual time', { responseRatio: null }, 'no_data'],
    ['no_data with two services', { responseRatio: ratioOf(5, 2) }, 'no_data'],
    ['slower with three services', { responseRatio: ratioOf(5, 3) }, 'slower'],
    [
      'no_data with three days, one of them with too few services',
      { responseRatio: ratioOf(5), dayRatios: [...usualWeek.slice(0, 2), ratioOf(1, 2)] },
      'no_data',
    ],
    ['no_data while the region is quarantined', { responseRatio: ratioOf(5), quarantined: true }, 'no_data'],
    [
      'slower even if one day of the week was as slow',
      { responseRatio: ratioOf(2), dayRatios: [ratioOf(2), ...usualWeek.slice(1)] },
      'slower',
    ],
    [
      'slower at 1.4 times if the days differ little',
      {
        responseRatio: ratioOf(1.4),
        dayRatios: [0.9, 0.95, 1, 1, 1, 1.05, 1.1].map((ratio) => ratioOf(ratio)),
      },
      'slower',
    ],
    [
      'normal at 1.4 times if the days differ more',
      {
        responseRatio: ratioOf(1.4),
        dayRatios: [0.7, 0.8, 0.85, 1, 1.2, 1.3, 1.4].map((ratio) => ratioOf(ratio)),
      },
      'normal',
    ],
  ])('%s', (_, more, verdict) => {
    expect(regionWeather(region(more)).verdict).toBe(verdict)
  })
})

describe('the response ratio of a region', () => {
  const week = (ms: number) => Array.from({ length: 7 }, () => ms)
  const near = (index: number) => ({ slug: `near-${index}`, days: week(12) })
  const far = (index: number) => ({ slug: `far-${index}`, days: week(180) })
  const ten = Array.from({ length: 10 }, (_, index) => index)

  test('does not change if the fast half of its services fails', () => {
    const usual = usualTimesOf([...ten.map(near), ...ten.map(far)])
    expect(usual.ratioOf([...ten.map(() => null), ...ten.map(() => 180)])).toEqual({
      ratio: 1,
      services: 10,
    })
    expect(usual.days).toEqual(Array.from({ length: 7 }, () => ({ ratio: 1, services: 20 })))
  })

  test('is the ratio of its median service', () => {
    const times = ten.map((n) => (n < 4 ? 12 : 24))
    expect(usualTimesOf(ten.map(near)).ratioOf(times)).toEqual({ ratio: 2, services: 10 })
  })

  test('counts a service with two probes once, and ignores probes with fewer than three days', () => {
    const thin = { slug: 'thin', days: [1, 1, null] }
    expect(usualTimesOf([near(0), near(0), thin]).ratioOf([24, 36, 900])).toEqual({
      ratio: 2.5,
      services: 1,
    })
    expect([usualTimesOf([thin]).ratioOf([900]), usualTimesOf([thin]).days]).toEqual([null, []])
  })
})

test('the weather of a quarantined region shows none of its measurements', () => {
  const weather = regionWeather(region({ quarantined: true }))
  expect(weather).toMatchObject({ p50Ms: null, samples: 0, ratio: null })
})

test('for any measurements the answer matches its schema and has a ratio exactly if it has a verdict', () => {
  const any = fc.record({
    p50Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    p75Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    p95Ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
    samples: fc.nat(100),
  })
  const anyRatio = fc.record({
    ratio: fc.double({ min: 0, max: 1e6, noNaN: true }),
    services: fc.nat(100),
  })
  forAll(
    [
      fc.option(any),
      fc.array(any, { maxLength: 7 }),
      fc.boolean(),
      fc.option(anyRatio),
      fc.array(anyRatio, { maxLength: 7 }),
    ],
    (now, days, quarantined, responseRatio, dayRatios) => {
      const one = { region: 'fra', now, days, quarantined, responseRatio, dayRatios }
      const weather = RegionWeather.parse(regionWeather(one))
      expect(weather.ratio === null).toBe(weather.verdict === 'no_data')
      const reversed = { days: days.toReversed(), dayRatios: dayRatios.toReversed() }
      expect(regionWeather({ ...one, ...reversed })).toEqual(weather)
    },
  )
})

const [normal, slower, silent] = [
  regionWeather(region({ region: 'iad' })),
  regionWeather(region({ responseRatio: ratioOf(1.5) })),
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
])('several regions have one verdict and one sentence, case %#', (regions, verdict, summary) => {
  expect(overallWeather(regions)).toBe(verdict)
  expect(weatherSummary(regions, evidence)).toBe(summary)
})

test('the weather from one machine does not count regions', () => {
  const local = { ...evidence, vantage: 'local' } as const
  expect(weatherSummary([slower, normal, silent], local)).toBe(
    'From this machine, response times are slower than usual for this hour (fra 1.5x), measured 2026-11-20 12:00 UTC.',
  )
})
