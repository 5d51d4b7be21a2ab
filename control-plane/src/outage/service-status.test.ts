import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeRegion, viewRegions } from './region-reading.ts'
import { serviceStatus } from './service-status.ts'
import { at, codes, heldAs, hourMs, readingOf, t0, viewsOf } from './testing.ts'
import type { Seen } from './testing.ts'

const seen: readonly Seen[] = ['up', 'down', 'blocked', 'silent', 'old', 'lying']

const combinations = (length: number): Seen[][] =>
  length === 0 ? [[]] : combinations(length - 1).flatMap((rest) => seen.map((one) => [one, ...rest]))

/**
 * S-1203 and S-1204 as a table: which kinds of fresh reading there are, and what that is.
 */
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

const oracle = (combination: readonly Seen[]): string | undefined =>
  table.get(
    [...new Set(combination.join(' ').match(/up|down|blocked/g))]
      .map((word) => word.charAt(0).toUpperCase())
      .toSorted()
      .join(''),
  )

test.each([0, 1, 2, 3, 4])('each combination of %i regions has the status of the table', (count) => {
  for (const combination of combinations(count)) {
    expect([combination, serviceStatus(viewsOf(...combination))]).toEqual([combination, oracle(combination)])
  }
})

const regions = fc.array(fc.constantFrom(...seen), { maxLength: 10 })

describe('whatever ten regions say', () => {
  test('the status is that of the table', () => {
    fc.assert(
      fc.property(regions, (combination) => {
        expect(serviceStatus(viewsOf(...combination))).toBe(oracle(combination))
      }),
    )
  })

  test('without a region that fails nothing is down, refused or not', () => {
    fc.assert(
      fc.property(regions, (combination) => {
        const innocent = combination.filter((one) => one !== 'down')
        expect(serviceStatus(viewsOf(...innocent))).not.toMatch(/down/)
      }),
    )
  })

  test('a region that falls silent, ages or is quarantined makes nothing up or down', () => {
    fc.assert(
      fc.property(
        regions,
        fc.array(fc.constantFrom<Seen>('silent', 'old', 'lying'), { minLength: 1, maxLength: 3 }),
        (combination, quiet) => {
          const heard = combination.slice(0, 7)
          expect(serviceStatus(viewsOf(...heard, ...quiet))).toBe(serviceStatus(viewsOf(...heard)))
        },
      ),
    )
  })

  test('the order of the regions is irrelevant', () => {
    fc.assert(
      fc.property(regions, fc.array(fc.nat(), { minLength: 10, maxLength: 10 }), (some, keys) => {
        const held = heldAs(some)
        const shuffled = held
          .map((region, index) => ({ region, key: keys[index] ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ region }) => region)
        expect(viewRegions(shuffled, at())).toEqual(viewRegions(held, at()))
      }),
    )
  })
})

describe('a region', () => {
  test.each([
    [180_000, true],
    [180_001, false],
  ])('whose reading is %i ms old is fresh: %s', (ageMs, fresh) => {
    const readings = [readingOf('down', { measuredAt: t0 - ageMs })]
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], at())
    expect(view).toMatchObject({ fresh, status: fresh ? 'down' : 'stale' })
  })

  test.each([
    [['up', 'down'], 'down'],
    [['blocked', 'up'], 'up'],
    [['blocked', 'down'], 'down'],
    [['blocked', 'blocked'], 'blocked'],
  ] as const)('whose probes say %j is %s', (verdicts, status) => {
    const readings = verdicts.map((verdict) => readingOf(verdict))
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], at())
    expect(view?.status).toBe(status)
  })

  test('is not down by a failing reading that is old, beside one that is fresh', () => {
    const readings = [readingOf('down', { measuredAt: t0 - hourMs }), readingOf('up')]
    const [view] = viewRegions([{ region: 'fra', readings, quarantined: false }], at())
    expect(view).toMatchObject({ fresh: true, status: 'up' })
  })

  test('is shown with what it measured also when that is stale or quarantined, and with why', () => {
    expect(viewsOf('up', 'old', 'silent', 'lying').map(describeRegion)).toEqual([
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

  test('beyond the tenth is not read, the oldest first', () => {
    const held = [...codes, 'ams'].map((region, index) => ({
      region,
      readings: [readingOf('up', { measuredAt: t0 - index * 1_000 })],
      quarantined: false,
    }))
    const views = viewRegions(held, at())
    expect(views.map(({ region }) => region)).toEqual(codes.toSorted())
  })
})
