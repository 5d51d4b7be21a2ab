import { slotsDue } from '@probe-mesh/contracts/reading/slots'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexCatalog } from '../../catalog/catalog-index.ts'
import { service } from '../../catalog/testing.ts'
import { staleAfterMs } from '../../status/freshness.ts'
import { plateLevel } from '../plate.ts'
import { viewRegions } from '../region-reading.ts'
import { createCatalogMemory } from './catalog-memory.ts'
import { createObservedCatalog } from './observed-catalog.ts'
import { catalogReading, probeAt } from './testing.ts'

const t0 = Date.parse('2026-11-20T12:00:00.000Z')
const all = ['fra', 'iad', 'nrt', 'sjc']
const usualMs = 100
const catalog = indexCatalog({
  stacks: [],
  services: [service('shop', { probes: [probeAt('https://shop.com/')] })],
})
const checkId = catalog.checks[0]?.checkId ?? ''

type World = {
  everySeconds: number
  isSpread: boolean
  /** The regions that measure. */
  measuring: readonly string[]
  /** When each region began, in intervals after the start. */
  late: readonly number[]
}

/** The levels after each reading from `fromRound` on, and at some instants between readings. */
const levelsOf = (
  { everySeconds, isSpread, measuring, late }: World,
  latencyMsOf: (region: string, round: number) => number | null,
  { fromRound, rounds }: { fromRound: number; rounds: number },
): string[] => {
  const everyMs = everySeconds * 1_000
  let nowMs = t0
  const staleMs = staleAfterMs(everySeconds)
  const memory = createCatalogMemory({ catalog, regions: all, now: () => nowMs })
  const observed = createObservedCatalog({
    catalog,
    memory,
    baselines: {
      refresh: async () => undefined,
      of: () => ({ p50Ms: usualMs, samples: 100 }),
      version: () => 0,
    },
    weather: { refresh: async () => undefined, regions: () => [] },
    regions: all,
    staleAfterMs: staleMs,
    isReady: () => true,
    isQuarantined: () => false,
    burstSinceMs: () => null,
    catalogIntervalSeconds: everySeconds,
    vantage: 'regional',
    now: () => nowMs,
  })
  const revision = {
    regions: all,
    intervalSeconds: everySeconds,
    isSpread,
    paused: false,
    validFromMs: t0,
    validToMs: null,
  }
  const slots = measuring
    .flatMap((region, index) =>
      slotsDue(checkId, region, [revision], t0, t0 + rounds * everyMs).map((atMs, round) => ({
        region,
        atMs,
        round,
        begins: late[index] ?? 0,
      })),
    )
    .filter(({ round, begins }) => round >= begins)
    .toSorted((a, b) => a.atMs - b.atMs)
  const level = (): string => {
    const options = { nowMs, staleAfterMs: staleMs, vantage: 'regional' } as const
    const views = viewRegions(observed.regionsOf('shop'), options)
    return plateLevel(views, observed.latenciesOf('shop'))
  }
  const levels: string[] = []
  for (const { region, atMs, round } of slots) {
    if (round >= fromRound) {
      nowMs = atMs - 1
      levels.push(level())
    }
    nowMs = atMs
    memory.add(
      catalogReading(['shop', 0], region, 'up', atMs, { latencyMs: latencyMsOf(region, round) }, catalog),
    )
    if (round >= fromRound) levels.push(level())
  }
  return levels
}

const worlds: fc.Arbitrary<World> = fc.record({
  everySeconds: fc.constantFrom(10, 30, 60, 300),
  isSpread: fc.boolean(),
  measuring: fc.subarray(all, { minLength: 1 }),
  late: fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 4, maxLength: 4 }),
})

describe.each([10, 30, 60, 300])('at %d s', (everySeconds) => {
  test.each([true, false])('a service three times slower everywhere is degraded, spread: %s', (isSpread) => {
    const world = { everySeconds, isSpread, measuring: all, late: [0, 0, 0, 0] }
    const levels = levelsOf(world, () => 3.25 * usualMs, { fromRound: 4, rounds: 34 })
    expect(new Set(levels)).toEqual(new Set(['degraded']))
  })
})

test('three times slower everywhere is degraded, whichever regions measure and since when, with busy agents', () => {
  const busy = fc.array(fc.boolean(), { minLength: 20, maxLength: 20 })
  forAll([worlds, busy], { numRuns: 100 }, (world, isBusy) => {
    // an agent is busy at most every second time, as its latencies would be too old
    const latencyMs = (region: string, round: number) =>
      isBusy[(round + all.indexOf(region) * 5) % 20] === true && round % 2 === 1 ? null : 3 * usualMs
    const levels = levelsOf(world, latencyMs, { fromRound: 13, rounds: 30 })
    expect(new Set(levels)).toEqual(new Set(['degraded']))
  })
})

test('one slow answer of each region is never degraded, whenever it comes and however few readings there are', () => {
  const rounds = fc.array(fc.integer({ min: 0, max: 11 }), { minLength: 4, maxLength: 4 })
  forAll([worlds, rounds], { numRuns: 200 }, (world, slowAt) => {
    const latencyMs = (region: string, round: number) =>
      round === slowAt[all.indexOf(region)] ? 200 * usualMs : usualMs
    const levels = levelsOf(world, latencyMs, { fromRound: 0, rounds: 12 })
    expect(levels).not.toContain('degraded')
  })
})
