import { InternetAnswer } from '@probe-mesh/contracts/outage/internet'
import fc from 'fast-check'
import { forAll } from '@probe-mesh/infra/testing/for-all'
import { describe, expect, test } from 'vitest'
import { describeInternet } from './answers/is-the-internet-down.ts'
import { healthOf, type Factor, type ObservedService } from './shared-factors.ts'
import { newSharedState, observeCatalog, type SharedState } from './shared-incident.ts'
import { group, hourMs, minuteMs, serviceOf, t0, viewsOf, withMode, type RegionCase } from './testing.ts'

const cdn: Factor = { kind: 'cdn', name: 'cloudway' }
const cloud: Factor = { kind: 'cloud_region', name: 'a/east-1' }
const dns: Factor = { kind: 'dns', name: 'route' }

const observe = (services: ObservedService[], state: SharedState = newSharedState, nowMs = t0) =>
  observeCatalog(state, services, nowMs)
const factorsOf = ({ open }: SharedState): string[] => open.map(({ factor }) => factor.name)

describe('an incident', () => {
  test.each<[string, ObservedService[], string[]]>([
    [
      'names a CDN with all twelve services down',
      [...group('c', 12, 12, [cdn]), ...group('r', 10, 0, [])],
      ['cloudway'],
    ],
    [
      'names a CDN with twelve of sixty services down',
      [...group('c', 60, 12, [cdn]), ...group('r', 100, 0, [])],
      ['cloudway'],
    ],
    [
      'opens with three of ten services down',
      [...group('c', 10, 3, [cdn]), ...group('r', 100, 0, [])],
      ['cloudway'],
    ],
    [
      'does not open with three of ten services down in a small catalog',
      [...group('c', 10, 3, [cdn]), ...group('r', 40, 0, [])],
      [],
    ],
    [
      'does not open with two of two services down',
      [...group('c', 2, 2, [cdn]), ...group('r', 100, 0, [])],
      [],
    ],
    [
      'does not open with three of sixty services down, which may be chance',
      [...group('c', 60, 3, [cdn]), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'has an unknown cause if everything is down',
      [...group('c', 60, 60, [cdn]), ...group('r', 60, 60, [])],
      ['unknown'],
    ],
    [
      'has an unknown cause if all services share the CDN and most are down',
      group('c', 40, 38, [cdn]),
      ['unknown'],
    ],
    [
      'names the CDN if most of the catalog uses it and the rest is up',
      [...group('c', 60, 60, [cdn]), ...group('r', 20, 0, [])],
      ['cloudway'],
    ],
    [
      'has an unknown cause if the services without the CDN fail too',
      [...group('c', 60, 60, [cdn]), ...group('r', 20, 18, [])],
      ['unknown'],
    ],
    ['does not open with half of the catalog down', [...group('c', 10, 5, []), ...group('r', 10, 5, [])], []],
    [
      'does not open for one vendor, whatever the number of failing services',
      [
        ...group('c', 12, 12, [cdn]).map((one) => ({ ...one, vendor: 'Acme' })),
        ...group('d', 12, 0, [cdn]),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    [
      'does not name a DNS provider whose names resolve',
      [...group('c', 12, 12, [dns]).map(withMode('wrong_answer')), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'does not name a CDN if wrong answers lack its mark',
      [...group('c', 12, 12, [cdn]).map(withMode('wrong_answer')), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'names a CDN if wrong answers have its mark',
      [...group('c', 12, 12, [cdn]).map(withMode('wrong_answer', 'cloudway')), ...group('r', 60, 0, [])],
      ['cloudway'],
    ],
    [
      'does not name a CDN if as many services without it answer wrongly',
      [
        ...group('c', 20, 5, [cdn]).map(withMode('wrong_answer', 'cloudway')),
        ...group('r', 60, 15, []).map(withMode('wrong_answer')),
      ],
      [],
    ],
    [
      'does not open for silence in half of the regions, which may be their own network',
      [
        ...group('c', 12, 12, [cdn]).map((one) => ({ ...one, upIn: ['nrt', 'sjc'] })),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    [
      'does not open if as many services elsewhere are down',
      [...group('c', 20, 4, [cdn]), ...group('r', 20, 4, [])],
      [],
    ],
    ['does not name a factor that all services have', group('c', 30, 12, [cdn]), []],
    [
      'names the factor that explains the outages, not one that merely coincides',
      [...group('c', 12, 12, [cdn, dns]), ...group('d', 20, 0, [dns]), ...group('r', 60, 0, [])],
      ['cloudway'],
    ],
    [
      'opens for each of two separate factors, the less likely coincidence first',
      [...group('c', 12, 12, [cdn]), ...group('a', 8, 8, [cloud]), ...group('r', 60, 0, [])],
      ['cloudway', 'a/east-1'],
    ],
    [
      'does not open for outages that began more than half an hour apart',
      [
        ...group('c', 2, 2, [cdn], t0),
        ...group('e', 2, 2, [cdn], t0 - 31 * minuteMs),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    [
      'opens for outages that began within half an hour',
      [
        ...group('c', 2, 2, [cdn], t0),
        ...group('e', 2, 2, [cdn], t0 - 30 * minuteMs),
        ...group('r', 60, 0, []),
      ],
      ['cloudway'],
    ],
  ])('%s', (_, services, factors) => {
    expect(factorsOf(observe(services))).toEqual(factors)
  })

  test('contains its members, its regions and its start as evidence', () => {
    const services = [...group('c', 4, 3, [cdn], t0 - minuteMs), ...group('r', 40, 0, [])]
    const { open } = observe(services)
    expect(open).toMatchObject([
      { sinceMs: t0 - minuteMs, peak: 3, measuredCount: 4, regions: ['fra', 'iad'] },
    ])
    expect(open[0]?.members.map(({ slug }) => slug)).toEqual(['c-0', 'c-1', 'c-2'])
    expect(open[0]?.confidence).toBeGreaterThan(0.5)
  })
})

describe('an open incident', () => {
  const rest = group('r', 200, 0, [])
  const opened = observe([...group('c', 12, 12, [cdn]), ...rest])
  const after = (minutes: number): number => t0 + minutes * minuteMs
  /** The state after one evaluation a minute with `down` of twelve services down. */
  const observeMinutes = (state: SharedState, down: number, from: number, to: number): SharedState => {
    let next = state
    for (let minute = from; minute <= to; minute += 1) {
      next = observe([...group('c', 12, down, [cdn]), ...rest], next, after(minute))
    }
    return next
  }

  test.each([
    [4, 60, 1],
    [3, 10, 1],
    [3, 11, 0],
    [0, 10, 1],
    [0, 11, 0],
  ])('with %i of twelve services down for %i minutes: %i open', (down, minutes, count) => {
    expect(observeMinutes(opened, down, 1, minutes).open).toHaveLength(count)
  })

  test('stays open if its members fail again before it closes', () => {
    const again = observeMinutes(observeMinutes(opened, 0, 1, 9), 4, 10, 10)
    expect(observeMinutes(again, 0, 11, 20).open).toHaveLength(1)
    expect(observeMinutes(again, 0, 11, 21).open).toHaveLength(0)
  })

  test('leaves remaining outages that open no other incident until they recover', () => {
    const closed = observeMinutes(opened, 3, 1, 11)
    expect(observeMinutes(closed, 3, 12, 40).open).toHaveLength(0)
    const recovered = observeMinutes(closed, 0, 41, 41)
    const again = [...group('c', 12, 3, [cdn], after(42)), ...rest]
    expect(observe(again, recovered, after(42)).open).toHaveLength(1)
  })

  test('leaves outages of members that recovered and failed again, which open no other incident', () => {
    const failingAgain = [...group('c', 12, 3, [cdn], after(5)), ...rest]
    let state = observeMinutes(opened, 0, 1, 4)
    for (let minute = 5; minute <= 40; minute += 1) state = observe(failingAgain, state, after(minute))
    expect(state.open).toHaveLength(0)
  })

  test('adds a service that fails later to its members, and keeps it after it recovers', () => {
    const more = [...group('c', 13, 13, [cdn], after(5)), ...rest]
    const joined = observe(more, opened, after(5))
    expect(joined.open).toMatchObject([{ peak: 13 }])
    expect(observeMinutes(joined, 12, 6, 6).open[0]?.members).toHaveLength(13)
  })

  test.each([
    [59, 1],
    [75, 0],
  ])('with its members unmeasured for %i minutes: %i open', (minutes, count) => {
    const silent = group('c', 12, 0, [cdn]).map((service): ObservedService => ({
      ...service,
      health: 'unknown',
    }))
    let state = opened
    for (let minute = 1; minute <= minutes; minute += 1) {
      state = observe([...silent, ...rest], state, after(minute))
    }
    expect(state.open).toHaveLength(count)
  })
})

const failing = (health: ObservedService['health'], sinceMs: number) =>
  health === 'failing'
    ? ['fra', 'iad'].map((region) => ({ region, sinceMs, mode: 'no_answer' as const, mark: null }))
    : []

describe('for any failures', () => {
  const names = fc.constantFrom('one', 'two', 'three')
  const catalog = fc
    .array(
      fc.record({
        cdn: fc.option(names),
        dns: fc.option(names),
        health: fc.constantFrom<ObservedService['health']>('failing', 'healthy', 'healthy', 'unknown'),
        agoMinutes: fc.nat(90),
      }),
      { maxLength: 60 },
    )
    .map((rows) =>
      rows.map(({ cdn, dns, health, agoMinutes }, index): ObservedService => ({
        ...serviceOf(`s-${String(index).padStart(2, '0')}`, [
          ...(cdn === null ? [] : [{ kind: 'cdn' as const, name: cdn }]),
          ...(dns === null ? [] : [{ kind: 'dns' as const, name: dns }]),
        ]),
        health,
        failures: failing(health, t0 - agoMinutes * minuteMs),
        regions: health === 'failing' ? ['fra', 'iad'] : [],
        sinceMs: health === 'failing' ? t0 - agoMinutes * minuteMs : null,
      })),
    )

  test('the order of the services does not matter', () => {
    forAll(
      [catalog, fc.array(fc.nat(), { minLength: 60, maxLength: 60 })],
      { numRuns: 500 },
      (services, keys) => {
        const shuffled = services
          .map((service, index) => ({ service, key: keys[index] ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ service }) => service)
        expect(observe(shuffled)).toEqual(observe(services))
      },
    )
  })

  test('fewer than three outages open no incident', () => {
    forAll([catalog], (services) => {
      let failing = 0
      const few = services.map((service): ObservedService => {
        if (service.health !== 'failing') return service
        failing += 1
        return failing <= 2 ? service : { ...service, health: 'healthy', sinceMs: null }
      })
      expect(observe(few).open).toEqual([])
    })
  })

  test('every member failed, has the factor, and is evidence for one incident only', () => {
    forAll([catalog], { numRuns: 1_000 }, (services) => {
      const { open } = observe(services)
      const members = open.flatMap((incident) =>
        incident.members.map(({ slug }) => ({ slug, name: incident.factor.name })),
      )
      for (const { slug, name } of members) {
        const service = services.find((one) => one.slug === slug)
        expect(service?.health).toBe('failing')
        if (name !== 'unknown') expect(service?.factors.map((factor) => factor.name)).toContain(name)
      }
      expect(new Set(members.map(({ slug }) => slug)).size).toBe(members.length)
      for (const incident of open) expect(incident.members.length).toBeGreaterThanOrEqual(3)
    })
  })

  test('a second evaluation at the same instant changes nothing', () => {
    forAll([catalog], (services) => {
      const once = observe(services)
      expect(factorsOf(observe(services, once))).toEqual(factorsOf(once))
    })
  })

  test('passing time opens no incident, and the answer matches its schema', () => {
    forAll([catalog, fc.nat(600)], (services, minutes) => {
      const later = observe(services, observe(services), t0 + minutes * minuteMs)
      expect(later.open.length).toBeLessThanOrEqual(observe(services).open.length)
      const described = describeInternet(later, services, 'regional')
      const answer = InternetAnswer.pick({
        status: true,
        sharedIncident: true,
        vendorOutage: true,
        summary: true,
      })
      expect(answer.parse(described)).toEqual(described)
    })
  })
})

test.each<[RegionCase[], string]>([
  [['down', 'down', 'up', 'up'], 'failing'],
  [['down', 'up', 'up', 'up'], 'unknown'],
  [['down'], 'failing'],
  [['down', 'stale'], 'unknown'],
  [['down', 'quarantined'], 'unknown'],
  [['up', 'blocked'], 'healthy'],
  [['blocked', 'blocked'], 'unknown'],
  [['stale', 'missing'], 'unknown'],
  [[], 'unknown'],
])('a service with regions %j has the health %s', (cases, health) => {
  expect(healthOf(viewsOf(...cases))).toBe(health)
})

test('an incident stays open after its onset window', () => {
  const services = [...group('c', 12, 12, [cdn]), ...group('r', 60, 0, [])]
  expect(observe(services, observe(services), t0 + 5 * hourMs).open).toHaveLength(1)
  expect(observe(services, newSharedState, t0 + 5 * hourMs).open).toHaveLength(1)
})
