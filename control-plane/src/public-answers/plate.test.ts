import fc from 'fast-check'
import { plateLevels, type PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { plateLevel, worstLevel, rollUp, type RegionLatency } from './plate.ts'
import { codes, viewsOf, type RegionCase } from './testing.ts'

const latency = (region: string, latenciesMs: number[], p50Ms = 100, samples = 30): RegionLatency => ({
  region,
  latenciesMs,
  baseline: { p50Ms, samples },
})
const fast = (region: string): RegionLatency => latency(region, [100, 100, 100])
const slow = (region: string): RegionLatency => latency(region, [300, 300, 300])

describe('an up service is degraded if most fresh regions are three times slower than their baseline', () => {
  test.each<[string, RegionCase[], RegionLatency[], PlateLevel]>([
    ['degraded: two of three regions are slow', ['up', 'up', 'up'], [slow('iad'), slow('sjc')], 'degraded'],
    [
      'up: two of four regions are slow',
      ['up', 'up', 'up', 'up'],
      [slow('iad'), slow('sjc'), fast('fra'), fast('nrt')],
      'up',
    ],
    [
      'degraded: two of four regions are slow, and the times of the others are not known',
      ['up', 'up', 'up', 'up'],
      [slow('iad'), slow('sjc'), latency('fra', [900]), { ...slow('nrt'), baseline: null }],
      'degraded',
    ],
    ['up: one of three regions is slow, the others are not known', ['up', 'up', 'up'], [slow('iad')], 'up'],
    ['degraded: the only fresh region is slow', ['up', 'stale', 'missing'], [slow('iad')], 'degraded'],
    ['up: only a stale region is slow', ['up', 'stale'], [slow('sjc')], 'up'],
    ['up: one region is slow and one is refused', ['up', 'blocked'], [slow('iad')], 'up'],
    ['degraded: exactly three times slower', ['up'], [latency('iad', [300, 300, 9])], 'degraded'],
    ['up: just under three times slower', ['up'], [latency('iad', [299, 299, 9_000])], 'up'],
    ['up: only the newest reading is slow', ['up'], [latency('iad', [900, 100, 100])], 'up'],
    ['up: only older readings are slow', ['up'], [latency('iad', [100, 100, 100, 900, 900, 900])], 'up'],
    ['degraded: two readings, both slow', ['up'], [latency('iad', [900, 900])], 'degraded'],
    ['up: one of two readings is slow', ['up'], [latency('iad', [900, 100])], 'up'],
    ['up: a single reading', ['up'], [latency('iad', [900])], 'up'],
    ['up: the baseline has fewer than 30 samples', ['up'], [latency('iad', [900, 900, 900], 100, 29)], 'up'],
    ['up: no baseline', ['up'], [{ ...slow('iad'), baseline: null }], 'up'],
    ['down_in_some_regions: another region is down', ['up', 'down'], [slow('iad')], 'down_in_some_regions'],
    ['no_data: no fresh reading', ['stale'], [slow('iad')], 'no_data'],
    ['blocked: all regions are refused', ['blocked'], [slow('iad')], 'blocked'],
  ])('%s', (_, cases, latencies, level) => {
    expect(plateLevel(viewsOf(...cases), latencies)).toBe(level)
  })
})

test('slow responses change only the level up, and only to degraded', () => {
  const anyCases = fc.array(
    fc.constantFrom<RegionCase>('up', 'down', 'blocked', 'missing', 'stale', 'quarantined'),
    {
      maxLength: 10,
    },
  )
  forAll([anyCases], (cases) => {
    const before = plateLevel(viewsOf(...cases), [])
    const after = plateLevel(viewsOf(...cases), codes.map(slow))
    if (before !== 'up') expect(after).toBe(before)
    else expect(['up', 'degraded']).toContain(after)
  })
})

describe('a stack', () => {
  test.each<[PlateLevel[], PlateLevel, string]>([
    [['up', 'up'], 'up', '0 of 2 services down or degraded'],
    [['down', 'down_in_some_regions', 'degraded', 'up'], 'down', '3 of 4 services down or degraded'],
    [['up', 'no_data'], 'no_data', '0 of 2 services down or degraded, 1 with no data'],
    [['up', 'blocked'], 'blocked', '0 of 2 services down or degraded, 1 blocked'],
    [
      ['degraded', 'blocked', 'no_data', 'no_data'],
      'degraded',
      '1 of 4 services down or degraded, 2 with no data, 1 blocked',
    ],
    [['no_data', 'no_data'], 'no_data', '0 of 2 services down or degraded, 2 with no data'],
    [[], 'no_data', '0 of 0 services down or degraded'],
  ])('with services %j is %s: %s', (levels, status, summary) => {
    expect(rollUp(levels)).toEqual({ status, summary })
  })

  test('has the level of its worst service, and is up only if all services are', () => {
    forAll([fc.array(fc.constantFrom(...plateLevels), { minLength: 1 })], (levels) => {
      const worst = worstLevel(levels)
      expect(worst === 'up').toBe(levels.every((level) => level === 'up'))
      expect(worstLevel(levels.toReversed())).toBe(worst)
      expect(plateLevels.indexOf(worst)).toBe(Math.min(...levels.map((level) => plateLevels.indexOf(level))))
    })
  })
})
