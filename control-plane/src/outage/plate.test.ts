import fc from 'fast-check'
import { plateLevels } from '@probe-mesh/contracts/outage/answers'
import type { PlateLevel } from '@probe-mesh/contracts/outage/answers'
import { describe, expect, test } from 'vitest'
import { plateLevel, worstLevel, rollUp } from './plate.ts'
import type { RegionPace } from './plate.ts'
import { codes, viewsOf } from './testing.ts'
import type { Seen } from './testing.ts'

const pace = (region: string, latenciesMs: number[], p50Ms = 100, samples = 30): RegionPace => ({
  region,
  latenciesMs,
  baseline: { p50Ms, samples },
})
const slow = (region: string): RegionPace => pace(region, [300, 300, 300])

describe('a service that is up is degraded when most fresh regions are three times slower', () => {
  test.each<[string, Seen[], RegionPace[], PlateLevel]>([
    ['two of three', ['up', 'up', 'up'], [slow('iad'), slow('sjc')], 'degraded'],
    ['two of four', ['up', 'up', 'up', 'up'], [slow('iad'), slow('sjc')], 'up'],
    ['the one fresh', ['up', 'old', 'silent'], [slow('iad')], 'degraded'],
    ['a stale one', ['up', 'old'], [slow('sjc')], 'up'],
    ['one beside a refused one', ['up', 'blocked'], [slow('iad')], 'up'],
    ['just three times', ['up'], [pace('iad', [300, 300, 9])], 'degraded'],
    ['just less', ['up'], [pace('iad', [299, 299, 9_000])], 'up'],
    ['only the newest', ['up'], [pace('iad', [900, 100, 100])], 'up'],
    ['the older ones', ['up'], [pace('iad', [100, 100, 100, 900, 900, 900])], 'up'],
    ['two readings', ['up'], [pace('iad', [900, 900])], 'up'],
    ['a thin baseline', ['up'], [pace('iad', [900, 900, 900], 100, 29)], 'up'],
    ['no baseline', ['up'], [{ ...slow('iad'), baseline: null }], 'up'],
    ['a down region', ['up', 'down'], [slow('iad')], 'down_in_some_regions'],
    ['no data', ['old'], [slow('iad')], 'no_data'],
    ['refused', ['blocked'], [slow('iad')], 'blocked'],
  ])('%s', (_, seen, paces, level) => {
    expect(plateLevel(viewsOf(...seen), paces)).toBe(level)
  })
})

test('slowness alone changes nothing but up into degraded', () => {
  const seen = fc.array(fc.constantFrom<Seen>('up', 'down', 'blocked', 'silent', 'old', 'lying'), {
    maxLength: 10,
  })
  fc.assert(
    fc.property(seen, (some) => {
      const before = plateLevel(viewsOf(...some), [])
      const after = plateLevel(viewsOf(...some), codes.map(slow))
      if (before !== 'up') expect(after).toBe(before)
      else expect(['up', 'degraded']).toContain(after)
    }),
  )
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
  ])('of %j is %s: %s', (levels, status, summary) => {
    expect(rollUp(levels)).toEqual({ status, summary })
  })

  test('is up only when every member is, and is its worst member in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...plateLevels), { minLength: 1 }), (levels) => {
        const worst = worstLevel(levels)
        expect(worst === 'up').toBe(levels.every((level) => level === 'up'))
        expect(worstLevel(levels.toReversed())).toBe(worst)
        expect(plateLevels.indexOf(worst)).toBe(
          Math.min(...levels.map((level) => plateLevels.indexOf(level))),
        )
      }),
    )
  })
})
