import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeRegion, viewRegions } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { optionsAt, codes, regionsAs, hourMs, readingOf, t0, viewsOf, type RegionCase } from './testing.ts'

const allCases: readonly RegionCase[] = ['up', 'down', 'blocked', 'missing', 'stale', 'quarantined']

const combinations = (length: number): RegionCase[][] =>
  length === 0 ? [[]] : combinations(length - 1).flatMap((rest) => allCases.map((one) => [one, ...rest]))

/** S-1203 and S-1204 as a table: the verdicts of the fresh readings, and the status. */
const table = new Map([
  ['', 'no_data'],
  ['U', 'up'],
  ['D', 'down'],
  ['B', 'blocked'],
  ['DU', 'down_in_some_regions'],
  ['BU', 'up'],
  ['BD', 'down_in_some_regions'],
  ['BDU', 'down_in_some_regions'],
])

const oracle = (combination: readonly RegionCase[]): string | undefined =>
  table.get(
    [...new Set(combination.join(' ').match(/up|down|blocked/g))]
      .map((word) => word.charAt(0).toUpperCase())
      .toSorted()
      .join(''),
  )

test.each([0, 1, 2, 3, 4])('each combination of %i regions has the status from the table', (count) => {
  for (const combination of combinations(count)) {
    expect([combination, serviceStatus(viewsOf(...combination))]).toEqual([combination, oracle(combination)])
  }
})

const anyCases = fc.array(fc.constantFrom(...allCases), { maxLength: 10 })

describe('for any ten regions', () => {
  test('the status is the one from the table', () => {
    forAll([anyCases], (combination) => {
      expect(serviceStatus(viewsOf(...combination))).toBe(oracle(combination))
    })
  })

  test('the status is not down without a failing region', () => {
    forAll([anyCases], (combination) => {
      const others = combination.filter((one) => one !== 'down')
      expect(serviceStatus(viewsOf(...others))).not.toMatch(/down/)
    })
  })

  test('a missing, stale or quarantined region does not change the status', () => {
    forAll(
      [
        anyCases,
        fc.array(fc.constantFrom<RegionCase>('missing', 'stale', 'quarantined'), {
          minLength: 1,
          maxLength: 3,
        }),
      ],
      (combination, ignored) => {
        const counted = combination.slice(0, 7)
        expect(serviceStatus(viewsOf(...counted, ...ignored))).toBe(serviceStatus(viewsOf(...counted)))
      },
    )
  })

  test('the order of the regions does not matter', () => {
    forAll([anyCases, fc.array(fc.nat(), { minLength: 10, maxLength: 10 })], (some, keys) => {
      const regions = regionsAs(some)
      const shuffled = regions
        .map((region, index) => ({ region, key: keys[index] ?? 0 }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ region }) => region)
      expect(viewRegions(shuffled, optionsAt())).toEqual(viewRegions(regions, optionsAt()))
    })
  })
})

describe('a region', () => {
  test.each([
    [180_000, true],
    [180_001, false],
  ])('with a reading %i ms old has fresh = %s', (ageMs, fresh) => {
    const readings = [readingOf('down', { measuredAt: t0 - ageMs })]
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], optionsAt())
    expect(view).toMatchObject({ fresh, status: fresh ? 'down' : 'stale' })
  })

  test.each([
    [['up', 'down'], 'down'],
    [['blocked', 'up'], 'up'],
    [['blocked', 'down'], 'down'],
    [['blocked', 'blocked'], 'blocked'],
  ] as const)('with probe verdicts %j is %s', (verdicts, status) => {
    const readings = verdicts.map((verdict) => readingOf(verdict))
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], optionsAt())
    expect(view?.status).toBe(status)
  })

  test('ignores a stale failing reading if another probe has a fresh one', () => {
    const readings = [readingOf('down', { measuredAt: t0 - hourMs }), readingOf('up')]
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], optionsAt())
    expect(view).toMatchObject({ fresh: true, status: 'up' })
  })

  test('shows a stale or quarantined reading with the reason why it does not count', () => {
    expect(viewsOf('up', 'stale', 'missing', 'quarantined').map(describeRegion)).toEqual([
      expect.objectContaining({ region: 'fra', status: 'unknown', measuredAt: null, fresh: false }),
      {
        region: 'iad',
        status: 'up',
        reason: null,
        latencyMs: 20,
        measuredAt: '2026-11-20T11:59:50.000Z',
        fresh: true,
      },
      {
        region: 'nrt',
        status: 'unknown',
        reason: 'the region is quarantined: its own network failed',
        latencyMs: 20,
        measuredAt: '2026-11-20T11:59:50.000Z',
        fresh: false,
      },
      expect.objectContaining({ region: 'sjc', status: 'stale', reason: 'no recent reading' }),
    ])
  })

  test('is left out if ten others have fresher readings', () => {
    const regions = [...codes, 'ams'].map((region, index) => ({
      region,
      readings: [readingOf('up', { measuredAt: t0 - index * 1_000 })],
      quarantined: false,
    }))
    const views = viewRegions(regions, optionsAt())
    expect(views.map(({ region }) => region)).toEqual(codes.toSorted())
  })
})
