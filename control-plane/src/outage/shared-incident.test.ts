import { InternetAnswer } from '@probe-mesh/contracts/outage/answers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { describeInternet } from './answers/is-the-internet-down.ts'
import { standingOf } from './shared-factors.ts'
import type { Factor, ObservedService } from './shared-factors.ts'
import { newSharedState, observeCatalog } from './shared-incident.ts'
import type { SharedState } from './shared-incident.ts'
import { as, group, hourMs, minuteMs, serviceOf, t0, viewsOf } from './testing.ts'
import type { Seen } from './testing.ts'

const cdn: Factor = { kind: 'cdn', name: 'cloudway' }
const cloud: Factor = { kind: 'cloud_region', name: 'a/east-1' }
const dns: Factor = { kind: 'dns', name: 'route' }

const look = (services: ObservedService[], state: SharedState = newSharedState, nowMs = t0) =>
  observeCatalog(state, services, nowMs)
const factorsOf = ({ open }: SharedState): string[] => open.map(({ factor }) => factor.name)

describe('an incident', () => {
  test.each<[string, ObservedService[], string[]]>([
    [
      'is a CDN with twelve services down',
      [...group('c', 12, 12, [cdn]), ...group('r', 10, 0, [])],
      ['cloudway'],
    ],
    [
      'is a CDN with twelve of sixty down',
      [...group('c', 60, 12, [cdn]), ...group('r', 100, 0, [])],
      ['cloudway'],
    ],
    ['is three of ten', [...group('c', 10, 3, [cdn]), ...group('r', 100, 0, [])], ['cloudway']],
    ['is not three of ten in a small catalog', [...group('c', 10, 3, [cdn]), ...group('r', 40, 0, [])], []],
    ['is not two of two', [...group('c', 2, 2, [cdn]), ...group('r', 100, 0, [])], []],
    [
      'is not three of sixty, which may be chance',
      [...group('c', 60, 3, [cdn]), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'is everything down, whose cause nobody knows',
      [...group('c', 60, 60, [cdn]), ...group('r', 60, 60, [])],
      ['unknown'],
    ],
    [
      'is most of what stands on one CDN, whose share of it says nothing',
      group('c', 40, 38, [cdn]),
      ['unknown'],
    ],
    [
      'is the CDN where most of the catalog stands on it and the rest is well',
      [...group('c', 60, 60, [cdn]), ...group('r', 20, 0, [])],
      ['cloudway'],
    ],
    [
      'is everything where the rest fails as well',
      [...group('c', 60, 60, [cdn]), ...group('r', 20, 18, [])],
      ['unknown'],
    ],
    ['is not half of the catalog', [...group('c', 10, 5, []), ...group('r', 10, 5, [])], []],
    [
      'is not one vendor, however many of its services fail',
      [
        ...group('c', 12, 12, [cdn]).map((one) => ({ ...one, vendor: 'Acme' })),
        ...group('d', 12, 0, [cdn]),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    [
      'is not a DNS provider whose names are found',
      [...group('c', 12, 12, [dns]).map(as('answered')), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'is not a CDN whose mark the wrong answers do not bear',
      [...group('c', 12, 12, [cdn]).map(as('answered')), ...group('r', 60, 0, [])],
      [],
    ],
    [
      'is a CDN whose mark they bear',
      [...group('c', 12, 12, [cdn]).map(as('answered', 'cloudway')), ...group('r', 60, 0, [])],
      ['cloudway'],
    ],
    [
      'is no CDN where as many that no mark could tell of answer wrongly',
      [
        ...group('c', 20, 5, [cdn]).map(as('answered', 'cloudway')),
        ...group('r', 60, 15, []).map(as('answered')),
      ],
      [],
    ],
    [
      'is not silence in half of the regions, which may be the network of those',
      [
        ...group('c', 12, 12, [cdn]).map((one) => ({ ...one, wellIn: ['nrt', 'sjc'] })),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    ['is not as many down elsewhere', [...group('c', 20, 4, [cdn]), ...group('r', 20, 4, [])], []],
    ['is no factor that all have', group('c', 30, 12, [cdn]), []],
    [
      'is the factor that explains, not the one that goes with it',
      [...group('c', 12, 12, [cdn, dns]), ...group('d', 20, 0, [dns]), ...group('r', 60, 0, [])],
      ['cloudway'],
    ],
    [
      'is each of two that are separate, the likelier first',
      [...group('c', 12, 12, [cdn]), ...group('a', 8, 8, [cloud]), ...group('r', 60, 0, [])],
      ['cloudway', 'a/east-1'],
    ],
    [
      'is not outages that began half an hour apart and more',
      [
        ...group('c', 2, 2, [cdn], t0),
        ...group('e', 2, 2, [cdn], t0 - 31 * minuteMs),
        ...group('r', 60, 0, []),
      ],
      [],
    ],
    [
      'is outages that began within half an hour',
      [
        ...group('c', 2, 2, [cdn], t0),
        ...group('e', 2, 2, [cdn], t0 - 30 * minuteMs),
        ...group('r', 60, 0, []),
      ],
      ['cloudway'],
    ],
  ])('%s', (_, services, factors) => {
    expect(factorsOf(look(services))).toEqual(factors)
  })

  test('tells its members, its regions and since when, as evidence', () => {
    const services = [...group('c', 4, 3, [cdn], t0 - minuteMs), ...group('r', 40, 0, [])]
    const { open } = look(services)
    expect(open).toMatchObject([
      { sinceMs: t0 - minuteMs, peak: 3, measuredCount: 4, regions: ['fra', 'iad'] },
    ])
    expect(open[0]?.members.map(({ slug }) => slug)).toEqual(['c-0', 'c-1', 'c-2'])
    expect(open[0]?.confidence).toBeGreaterThan(0.5)
  })
})

describe('once open', () => {
  const rest = group('r', 200, 0, [])
  const opened = look([...group('c', 12, 12, [cdn]), ...rest])
  const after = (minutes: number): number => t0 + minutes * minuteMs
  /** The state after a look a minute with so many of twelve down. */
  const watch = (state: SharedState, down: number, from: number, to: number): SharedState => {
    let next = state
    for (let minute = from; minute <= to; minute += 1) {
      next = look([...group('c', 12, down, [cdn]), ...rest], next, after(minute))
    }
    return next
  }

  test.each([
    [4, 60, 1],
    [3, 10, 1],
    [3, 11, 0],
    [0, 10, 1],
    [0, 11, 0],
  ])('with %i of twelve left for %i minutes there are %i', (down, minutes, count) => {
    expect(watch(opened, down, 1, minutes).open).toHaveLength(count)
  })

  test('it goes on when its members fail again before it is over', () => {
    const again = watch(watch(opened, 0, 1, 9), 4, 10, 10)
    expect(watch(again, 0, 11, 20).open).toHaveLength(1)
    expect(watch(again, 0, 11, 21).open).toHaveLength(0)
  })

  test('what is left of one that closed opens no other, until it has recovered', () => {
    const closed = watch(opened, 3, 1, 11)
    expect(watch(closed, 3, 12, 40).open).toHaveLength(0)
    const recovered = watch(closed, 0, 41, 41)
    const again = [...group('c', 12, 3, [cdn], after(42)), ...rest]
    expect(look(again, recovered, after(42)).open).toHaveLength(1)
  })

  test('nor does what had recovered and failed anew before it closed', () => {
    const anew = [...group('c', 12, 3, [cdn], after(5)), ...rest]
    let state = watch(opened, 0, 1, 4)
    for (let minute = 5; minute <= 40; minute += 1) state = look(anew, state, after(minute))
    expect(state.open).toHaveLength(0)
  })

  test('a service that fails later joins the members, and stays evidence when it is well', () => {
    const more = [...group('c', 13, 13, [cdn], after(5)), ...rest]
    const joined = look(more, opened, after(5))
    expect(joined.open).toMatchObject([{ peak: 13 }])
    expect(watch(joined, 12, 6, 6).open[0]?.members).toHaveLength(13)
  })

  test.each([
    [59, 1],
    [75, 0],
  ])('its members unmeasured for %i minutes leave %i', (minutes, count) => {
    const silent = group('c', 12, 0, [cdn]).map((service): ObservedService => ({
      ...service,
      standing: 'unknown',
    }))
    let state = opened
    for (let minute = 1; minute <= minutes; minute += 1) {
      state = look([...silent, ...rest], state, after(minute))
    }
    expect(state.open).toHaveLength(count)
  })
})

const failing = (standing: ObservedService['standing'], sinceMs: number) =>
  standing === 'failing'
    ? ['fra', 'iad'].map((region) => ({ region, sinceMs, sign: 'silent' as const, mark: null }))
    : []

describe('whatever fails', () => {
  const names = fc.constantFrom('one', 'two', 'three')
  const catalog = fc
    .array(
      fc.record({
        cdn: fc.option(names),
        dns: fc.option(names),
        standing: fc.constantFrom<ObservedService['standing']>('failing', 'well', 'well', 'unknown'),
        agoMinutes: fc.nat(90),
      }),
      { maxLength: 60 },
    )
    .map((rows) =>
      rows.map(({ cdn, dns, standing, agoMinutes }, index): ObservedService => ({
        ...serviceOf(`s-${String(index).padStart(2, '0')}`, [
          ...(cdn === null ? [] : [{ kind: 'cdn' as const, name: cdn }]),
          ...(dns === null ? [] : [{ kind: 'dns' as const, name: dns }]),
        ]),
        standing,
        failures: failing(standing, t0 - agoMinutes * minuteMs),
        regions: standing === 'failing' ? ['fra', 'iad'] : [],
        sinceMs: standing === 'failing' ? t0 - agoMinutes * minuteMs : null,
      })),
    )

  test('the order of the services is irrelevant', () => {
    fc.assert(
      fc.property(catalog, fc.array(fc.nat(), { minLength: 60, maxLength: 60 }), (services, keys) => {
        const shuffled = services
          .map((service, index) => ({ service, key: keys[index] ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ service }) => service)
        expect(look(shuffled)).toEqual(look(services))
      }),
      { numRuns: 500 },
    )
  })

  test('fewer than three outages are no incident', () => {
    fc.assert(
      fc.property(catalog, (services) => {
        let failing = 0
        const few = services.map((service): ObservedService => {
          if (service.standing !== 'failing') return service
          failing += 1
          return failing <= 2 ? service : { ...service, standing: 'well', sinceMs: null }
        })
        expect(look(few).open).toEqual([])
      }),
    )
  })

  test('every member failed, has the factor, and is evidence for one incident only', () => {
    fc.assert(
      fc.property(catalog, (services) => {
        const { open } = look(services)
        const members = open.flatMap((incident) =>
          incident.members.map(({ slug }) => ({ slug, name: incident.factor.name })),
        )
        for (const { slug, name } of members) {
          const service = services.find((one) => one.slug === slug)
          expect(service?.standing).toBe('failing')
          if (name !== 'unknown') expect(service?.factors.map((factor) => factor.name)).toContain(name)
        }
        expect(new Set(members.map(({ slug }) => slug)).size).toBe(members.length)
        for (const incident of open) expect(incident.members.length).toBeGreaterThanOrEqual(3)
      }),
      { numRuns: 1_000 },
    )
  })

  test('a look at the same moment again changes nothing', () => {
    fc.assert(
      fc.property(catalog, (services) => {
        const once = look(services)
        expect(factorsOf(look(services, once))).toEqual(factorsOf(once))
      }),
    )
  })

  test('time alone opens nothing, and the answer keeps its schema', () => {
    fc.assert(
      fc.property(catalog, fc.nat(600), (services, minutes) => {
        const later = look(services, look(services), t0 + minutes * minuteMs)
        expect(later.open.length).toBeLessThanOrEqual(look(services).open.length)
        const said = describeInternet(later, services, 'regional')
        const answer = InternetAnswer.pick({
          status: true,
          sharedIncident: true,
          vendorOutage: true,
          summary: true,
        })
        expect(answer.parse(said)).toEqual(said)
      }),
    )
  })
})

test.each<[Seen[], string]>([
  [['down', 'down', 'up', 'up'], 'failing'],
  [['down', 'up', 'up', 'up'], 'unknown'],
  [['down'], 'failing'],
  [['down', 'old'], 'unknown'],
  [['down', 'lying'], 'unknown'],
  [['up', 'blocked'], 'well'],
  [['blocked', 'blocked'], 'unknown'],
  [['old', 'silent'], 'unknown'],
  [[], 'unknown'],
])('regions that say %j are, as evidence, %s', (seen, standing) => {
  expect(standingOf(viewsOf(...seen))).toBe(standing)
})

test('an incident outlives its own onset window', () => {
  const services = [...group('c', 12, 12, [cdn]), ...group('r', 60, 0, [])]
  expect(look(services, look(services), t0 + 5 * hourMs).open).toHaveLength(1)
  expect(look(services, newSharedState, t0 + 5 * hourMs).open).toHaveLength(1)
})
