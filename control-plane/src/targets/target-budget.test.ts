import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import {
  requestRatesOf,
  increases,
  manualRunLimit,
  targetLimits,
  targetRequestsPerMinuteDefault,
  exceededLimits,
  type OtherRates,
  type RequestRate,
} from './target-budget.ts'

const host = (name: string, site = 'example.org', path = 'url') => ({ path, host: name, site })
const schedule = { paused: false, intervalSeconds: 60, regions: ['fra', 'iad'] }
const asker = { liveRegions: 4, intervalSecondsMin: 10, isFree: false }
const limits = targetLimits(100, asker)
const rateOf = (rates: readonly RequestRate[], kind: string, name: string): number =>
  rates.find((one) => one.kind === kind && one.name === name)?.perMinute ?? 0
const already = (counts: Record<string, OtherRates>) => new Map(Object.entries(counts))

describe('the requests of a check in a minute', () => {
  test('are those of a run from each region, by host and by site', () => {
    const rates = requestRatesOf([host('a'), host('b'), host('a')], {
      ...schedule,
      intervalSeconds: 10,
    })
    expect(rateOf(rates, 'host', 'a')).toBe(24)
    expect(rateOf(rates, 'host', 'b')).toBe(12)
    expect(rateOf(rates, 'site', 'example.org')).toBe(36)
  })

  test('are none while it is paused', () => {
    const rates = requestRatesOf([host('a')], { ...schedule, paused: true })
    expect(rates.map(({ perMinute }) => perMinute)).toEqual([0, 0])
  })
})

describe('the limits of requests', () => {
  const rates = requestRatesOf([host('a')], schedule)
  const path = 'url'

  test.each([
    ['up to the limit of a host', { 'host a': { byAll: 98, byAccount: 0 } }, []],
    [
      'beyond the limit of a host',
      { 'host a': { byAll: 98.1, byAccount: 2.1 } },
      [{ kind: 'host', name: 'a', path, perMinute: 2, by: 'all', limit: 100 }],
    ],
    ['beyond, at the floor of an account', { 'host a': { byAll: 198, byAccount: 2 } }, []],
    ['up to what an account has of a host', { 'host a': { byAll: 60, byAccount: 48 } }, []],
    [
      'beyond what an account has of a host',
      { 'host a': { byAll: 60, byAccount: 48.1 } },
      [{ kind: 'host', name: 'a', path, perMinute: 2, by: 'account', limit: 50 }],
    ],
    ['up to the limit of a site', { 'site example.org': { byAll: 198, byAccount: 98 } }, []],
    [
      'beyond the limit of a site',
      { 'site example.org': { byAll: 198.1, byAccount: 2.1 } },
      [{ kind: 'site', name: 'example.org', path, perMinute: 2, by: 'all', limit: 200 }],
    ],
  ])('%s', (_, counts, expected) => {
    expect(exceededLimits(rates, already(counts), limits)).toEqual(expected)
  })
})

describe('a change', () => {
  const before = requestRatesOf([host('a')], { ...schedule, intervalSeconds: 30 })

  test.each([
    ['with fewer requests', { ...schedule, intervalSeconds: 60 }, []],
    ['with the same requests', { ...schedule, intervalSeconds: 30 }, []],
    ['that pauses', { ...schedule, paused: true }, []],
    ['with more requests', { ...schedule, intervalSeconds: 29 }, ['a', 'example.org']],
    [
      'that adds a region',
      { ...schedule, intervalSeconds: 30, regions: ['a', 'b', 'c'] },
      ['a', 'example.org'],
    ],
  ])('%s counts for: %j', (_, changed, names) => {
    expect(increases(requestRatesOf([host('a')], changed), before).map(({ name }) => name)).toEqual(names)
  })

  test('to another host of the site counts only for that host', () => {
    const rates = requestRatesOf([host('b')], { ...schedule, intervalSeconds: 30 })
    expect(increases(rates, before).map(({ kind, name }) => `${kind} ${name}`)).toEqual(['host b'])
  })
})

test('accepted checks together always stay within the limits of a host and a site', () => {
  const create = fc.record({
    account: fc.constantFrom('x', 'y', 'z'),
    host: fc.constantFrom('a', 'b', 'c'),
    intervalSeconds: fc.constantFrom(10, 30, 60, 300),
    regions: fc.integer({ min: 1, max: 4 }),
  })
  forAll([fc.array(create, { maxLength: 80 })], (creates) => {
    const taken: { account: string; rates: RequestRate[] }[] = []
    const sumOf = (kind: string, name: string, account: string | null): number =>
      taken
        .filter((one) => account === null || one.account === account)
        .reduce((sum, one) => sum + rateOf(one.rates, kind, name), 0)
    for (const { account, host: name, intervalSeconds, regions } of creates) {
      const places = Array.from({ length: regions }, (_, n) => `r${n}`)
      const rates = requestRatesOf([host(name)], {
        paused: false,
        intervalSeconds,
        regions: places,
      })
      const counted = already(
        Object.fromEntries(
          rates.map(({ kind, name: of }) => [
            `${kind} ${of}`,
            { byAll: sumOf(kind, of, null), byAccount: sumOf(kind, of, account) },
          ]),
        ),
      )
      if (exceededLimits(rates, counted, limits).length === 0) taken.push({ account, rates })
    }
    for (const name of ['a', 'b', 'c']) {
      expect(sumOf('host', name, null)).toBeLessThanOrEqual(100 + 3 * limits.host.floor)
      for (const account of ['x', 'y', 'z']) {
        expect(sumOf('host', name, account)).toBeLessThanOrEqual(50)
      }
    }
    expect(sumOf('site', 'example.org', null)).toBeLessThanOrEqual(200 + 3 * limits.site.floor)
  })
})

describe('the numbers', () => {
  test.each([
    // [checks of one host, interval in seconds] on four regions
    ['a growth account with all its checks on one host', 100, 60],
    ['a scale account with 125 checks of one host at its fastest', 125, 10],
    ['a scale account with 750 checks of one host each minute', 750, 60],
  ])('allow %s', (_, checks, intervalSeconds) => {
    const perMinute = (checks * 4 * 60) / intervalSeconds
    const of = targetLimits(targetRequestsPerMinuteDefault, asker)
    expect(perMinute).toBeLessThanOrEqual(of.host.byAccount)
  })

  test('always allow one manual run of the longest journey', () => {
    expect(manualRunLimit(1)).toEqual({ byAll: 50, byAccount: 50, floor: 50 })
    expect(manualRunLimit(1).floor).toBeGreaterThanOrEqual(4 * 10)
    expect(manualRunLimit(targetRequestsPerMinuteDefault)).toEqual({
      byAll: 600,
      byAccount: 300,
      floor: 50,
    })
  })
})

describe('a floor', () => {
  const everyMinute = { paused: false, intervalSeconds: 60, regions: ['a', 'b', 'c', 'd'] }
  const asks = fc.array(
    fc.record({ account: fc.nat(60), perMinute: fc.constantFrom(0.8, 1, 2, 4, 24, 50) }),
    { maxLength: 300 },
  )
  /** The requests to one host that accounts get when they use all that is allowed. */
  const play = (all: { account: number; perMinute: number }[], of = limits) => {
    const own = new Map<number, number>()
    const sum = (): number => [...own.values()].reduce((total, one) => total + one, 0)
    const ask = (account: number, perMinute: number): boolean => {
      const [byAll, byAccount] = [sum(), own.get(account) ?? 0]
      const rates: RequestRate[] = [{ kind: 'host', name: 'a', path: 'url', perMinute }]
      if (exceededLimits(rates, already({ 'host a': { byAll, byAccount } }), of).length > 0) return false
      own.set(account, byAccount + perMinute)
      return true
    }
    for (const { account, perMinute } of all) ask(account, perMinute)
    return { ask, sum }
  }

  test('is kept for an account with any load of others, as long as floors fit', () => {
    const [{ perMinute = 0 } = {}] = requestRatesOf([host('a')], everyMinute)
    expect(perMinute).toBe(4)
    forAll([asks], (all) => {
      const { ask, sum } = play(all)
      expect(sum()).toBeLessThanOrEqual(limits.host.withFloors)
      if (sum() + perMinute <= limits.host.withFloors) expect(ask(999, perMinute)).toBe(true)
      expect(sum()).toBeLessThanOrEqual(limits.host.withFloors)
    })
  })

  test('is one check a minute next to two accounts with full use, not two', () => {
    const { ask } = play([
      { account: 1, perMinute: 50 },
      { account: 2, perMinute: 50 },
    ])
    expect([ask(3, 4), ask(3, 4), ask(4, 4)]).toEqual([true, false, true])
  })

  test('of free accounts is smaller, and leaves half of the floors to paying accounts', () => {
    const free = targetLimits(100, { ...asker, intervalSecondsMin: 300, isFree: true })
    expect(free.host).toMatchObject({ floor: 0.8, withFloors: 150 })
    const flood = Array.from({ length: 400 }, (_, account) => ({ account, perMinute: 0.8 }))
    const { sum, ask } = play(flood, free)
    expect(ask(999, 0.8)).toBe(false)
    expect(sum()).toBeLessThanOrEqual(150)
    expect(play(flood.slice(0, 187), free).sum() + 4).toBeLessThanOrEqual(limits.host.withFloors)
  })
})
