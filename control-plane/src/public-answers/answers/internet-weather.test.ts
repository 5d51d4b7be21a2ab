import fc from 'fast-check'
import { WeatherAnswer } from '@probe-mesh/contracts/outage/internet'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeWeather } from './internet-weather.ts'
import { optionsAt, codes, percentilesOf, viewsOf, type RegionCase } from '../testing.ts'
import type { MeasuredRegion } from '../weather.ts'

const days = Array.from({ length: 7 }, () => percentilesOf(100))
const responseRatio = { ratio: 1, services: 20 }
const measured = (region: string, more: Partial<MeasuredRegion> = {}): MeasuredRegion => ({
  region,
  now: percentilesOf(100),
  days,
  responseRatio,
  dayRatios: days.map(() => responseRatio),
  quarantined: false,
  ...more,
})

describe('the weather', () => {
  test('lists regions with fresh readings and measurements as read', () => {
    const weather = describeWeather(
      [measured('sjc'), measured('iad'), measured('fra', { now: null })],
      viewsOf('up', 'blocked', 'up'),
      optionsAt(),
    )
    expect(weather).toMatchObject({
      verdict: 'normal',
      regionsRead: ['iad', 'sjc'],
      freshness: { verdict: 'fresh' },
    })
    expect(weather.regions.map(({ region }) => region)).toEqual(['fra', 'iad', 'sjc'])
  })

  test('is no_data with the last time of measurement if its regions have gone silent', () => {
    const weather = describeWeather([measured('iad')], viewsOf('stale'), optionsAt())
    expect(weather).toMatchObject({
      verdict: 'no_data',
      regions: [{ region: 'iad', p50Ms: null, samples: 0, verdict: 'no_data' }],
      regionsRead: [],
      measuredAt: expect.any(String),
      freshness: { verdict: 'stale' },
    })
  })

  test('has no time of measurement until a region has percentiles', () => {
    const weather = describeWeather([measured('iad', { now: null })], viewsOf('up'), optionsAt())
    expect(weather).toMatchObject({ verdict: 'no_data', measuredAt: null, regionsRead: [] })
  })

  test('is limited to the ten regions with the most samples', () => {
    const more = [...codes, 'zrh', 'yyz']
    const regions = more.map((region, n) => measured(region, { now: percentilesOf(100, 100 + n) }))
    const two = viewsOf('up', 'up').map((view, n) => ({ ...view, region: more[10 + n] ?? '' }))
    const views = [...viewsOf(...codes.map((): RegionCase => 'up')), ...two]
    const weather = describeWeather(regions, views, optionsAt())
    expect(weather.regions.map(({ region }) => region)).toEqual(more.slice(2).toSorted())
  })
})

test('for any readings, only fresh regions count as read, and only they have a verdict', () => {
  const anyCase = fc.constantFrom<RegionCase>('up', 'down', 'blocked', 'missing', 'stale', 'quarantined')
  const region = fc.record({
    now: fc.option(fc.double({ min: 1, max: 1_000, noNaN: true }).map((ms) => percentilesOf(ms))),
    quarantined: fc.boolean(),
  })
  forAll([fc.array(fc.tuple(anyCase, region), { maxLength: 10 })], (all) => {
    const views = viewsOf(...all.map(([one]) => one))
    const regions = all.map(([, more], n) => measured(codes[n] ?? '', more))
    const answer = WeatherAnswer.parse({ ...describeWeather(regions, views, optionsAt()), url: '' })
    const fresh = views.filter((view) => view.fresh).map((view) => view.region)
    expect(fresh).toEqual(expect.arrayContaining(answer.regionsRead))
    for (const one of answer.regions) {
      if (one.verdict !== 'no_data') expect(answer.regionsRead).toContain(one.region)
    }
    if (answer.regionsRead.length === 0) expect(answer.verdict).toBe('no_data')
  })
})
