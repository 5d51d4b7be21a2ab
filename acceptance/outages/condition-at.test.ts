import { describe, expect, it } from 'vitest'
import { conditionAt, nextChangeMs } from './condition-at.ts'
import { World } from './world.ts'

const at = (time: string): number => Date.parse(`2020-02-02T${time}Z`)
const instant = (time: string): string => `2020-02-02T${time}Z`
const world = World.parse({
  title: 'A made-up outage',
  from: instant('10:00:00'),
  until: instant('12:00:00'),
  sources: { blog: { publisher: 'A vendor', title: 'A report', url: 'https://example.com/' } },
  facts: [{ id: 'seen', at: instant('10:10:00'), what: 'Seen.', where: 'everywhere', source: 'blog' }],
  services: [{ slug: 'shop', host: 'www.shop.example', zone: 'shop.example', facts: ['seen'] }],
  conditions: [
    {
      from: instant('10:10:00'),
      until: instant('10:20:00'),
      services: ['shop'],
      regions: ['fra'],
      fails: 'names_silent',
      facts: ['seen'],
    },
    {
      from: instant('10:15:00'),
      until: instant('10:20:00'),
      services: ['shop'],
      fails: 'http',
      status: 503,
      share: 0.25,
      facts: ['seen'],
    },
    {
      from: instant('11:00:00'),
      until: instant('11:12:00'),
      services: ['shop'],
      fails: 'refused',
      flaps: { failsSeconds: 300, worksSeconds: 120 },
      facts: ['seen'],
    },
  ],
  truth: [{ services: ['shop'], intervals: [{ until: instant('12:00:00'), answer: 'up' }] }],
  atFault: { kind: 'none', name: null, why: 'One service alone.' },
  noticed: [],
  notFound: [],
})
const works = { names: null, connection: null, answer: null }
const silent = { fails: 'names_silent', status: null, share: 1 }
const busy = { fails: 'http', status: 503, share: 0.25 }
const refused = { fails: 'refused', status: null, share: 1 }

describe('the state of the network', () => {
  it.each([
    ['before anything', 'fra', '10:09:59', works],
    ['from the first instant of a condition', 'fra', '10:10:00', { ...works, names: silent }],
    ['in another region', 'iad', '10:10:00', works],
    ['of two layers at once', 'fra', '10:15:00', { ...works, names: silent, answer: busy }],
    ['of the layer that fails everywhere', 'iad', '10:19:59', { ...works, answer: busy }],
    ['at the end of a condition', 'fra', '10:20:00', works],
    ['while a flapping condition fails', 'nrt', '11:04:59', { ...works, connection: refused }],
    ['while a flapping condition works', 'nrt', '11:05:00', works],
    ['when a flapping condition fails again', 'nrt', '11:07:00', { ...works, connection: refused }],
  ] as const)('is known %s', (_, region, time, state) => {
    expect(conditionAt(world, region, 'shop', at(time))).toEqual(state)
  })

  it('is up for a service outside the world', () => {
    expect(conditionAt(world, 'fra', 'other', at('10:15:00'))).toEqual(works)
  })

  it('changes at each start, end and flap only', () => {
    const changes = []
    let next = nextChangeMs(world, world.from)
    while (next !== null) {
      changes.push(next)
      next = nextChangeMs(world, next)
    }
    const times = ['10:10:00', '10:15:00', '10:20:00', '11:00:00', '11:05:00', '11:07:00', '11:12:00']
    expect(changes).toEqual(times.map(at))
  })
})
