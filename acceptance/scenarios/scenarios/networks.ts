import { fleetRegions } from '../fleet.ts'
import { blocked, down, everywhere, mixed, ongoing, sameWeather, up } from '../scenario.ts'
import type { Act, Play, SeenBy, ServiceExpected } from '../scenario.ts'
import { alike, numbered } from './many.ts'

/** Long enough for everything measured to be stale. */
const longMs = 62_000

/** Nothing is known of the days before. */
const noWeather = { weather: sameWeather('no_data') }
const none = { internet: 'none', ...noWeather } as const
const silent = { internet: 'no_data', ...noWeather } as const

const acts: readonly Act[] = [
  { name: 'before the first reading', ...silent },
  { name: 'measured', happens: ({ fleet }) => fleet.agents.start(fleetRegions), ...none },
  { name: 'they differ', ...none },
  {
    name: 'a region falls silent',
    happens: async ({ fleet }) => {
      await fleet.agents.stop(['nrt'])
      fleet.clock.forward(longMs)
    },
    ...none,
  },
  { name: 'it comes back', happens: ({ fleet }) => fleet.agents.start(['nrt']), ...none },
  {
    name: 'a region loses its network',
    happens: ({ fleet }) => {
      fleet.network.turn('fra', 'denying')
      fleet.clock.forward(longMs)
    },
    ...none,
  },
  {
    name: 'all lose their network',
    happens: ({ fleet }) => {
      fleet.network.turn('iad', 'denying')
      fleet.network.turn('sjc', 'silent')
      fleet.network.turn('nrt', 'silent')
      fleet.clock.forward(longMs)
    },
    ...silent,
  },
  {
    name: 'the networks are back',
    happens: ({ fleet }) => {
      for (const region of fleetRegions) fleet.network.turn(region, 'open')
    },
    ...none,
  },
  // no factor stands out, and that is said
  { name: 'everything fails', internet: 'unknown', ...noWeather },
  {
    name: 'nobody measures any more',
    happens: async ({ fleet }) => {
      await fleet.agents.stop(fleetRegions)
      fleet.clock.forward(longMs)
    },
    // what was said is not taken back by silence
    internet: 'unknown',
    ...noWeather,
  },
]

const anyPast = { outages: 'any' } as const
const dark = (seen: 'stale' | 'unknown', outages: ServiceExpected['outages'] = 'any') => ({
  expect: {
    status: 'no_data',
    seen: everywhere(seen),
    ...(outages === undefined ? {} : { outages }),
  } satisfies ServiceExpected,
})

const works = { expect: up(anyPast) }
const without = (region: keyof SeenBy) => ({ expect: mixed('up', { [region]: 'stale' }, anyPast) })

/** Which regions are read, and what is left to say when they are not. */
export const networks: Play = {
  name: 'regions and their networks',
  acts,
  scenarios: [
    alike(
      'what works is up by the regions that are read, and no data when none is, never down',
      [...numbered('net', 4), ...numbered('net-cdn', 8, { cdn: 'cloudway' })],
      {
        'before the first reading': dark('unknown', []),
        measured: works,
        'a region falls silent': without('nrt'),
        'it comes back': works,
        'a region loses its network': without('fra'),
        'all lose their network': dark('stale'),
        'the networks are back': works,
        'everything fails': { set: 'down', expect: down({ reason: 'got 503', ...anyPast }) },
        'nobody measures any more': dark('stale'),
      },
    ),
    alike(
      'a region that stops reporting loses its vote: what was down in it alone is up',
      [{ slug: 'down-in-nrt' }],
      {
        'before the first reading': dark('unknown', []),
        measured: { expect: up() },
        'they differ': {
          set: { nrt: 'down' },
          expect: mixed('down_in_some_regions', { nrt: 'down' }, { outages: [ongoing('nrt')] }),
        },
        'a region falls silent': without('nrt'),
        'it comes back': { expect: mixed('down_in_some_regions', { nrt: 'down' }, anyPast) },
        'a region loses its network': {
          expect: mixed('down_in_some_regions', { nrt: 'down', fra: 'stale' }, anyPast),
        },
        'all lose their network': dark('stale'),
        'the networks are back': {
          expect: mixed('down_in_some_regions', { nrt: 'down' }, anyPast),
        },
        'nobody measures any more': dark('stale'),
      },
    ),
    alike(
      'a region that stops reporting loses its vote: what was up in it alone is down',
      [{ slug: 'up-in-nrt' }],
      {
        measured: { expect: up() },
        'they differ': {
          set: { iad: 'down', sjc: 'down', fra: 'down' },
          expect: {
            status: 'down_in_some_regions',
            seen: { iad: 'down', sjc: 'down', fra: 'down', nrt: 'up' },
            outages: [ongoing('iad', 'sjc', 'fra')],
          },
        },
        'a region falls silent': {
          expect: {
            status: 'down',
            seen: { iad: 'down', sjc: 'down', fra: 'down', nrt: 'stale' },
            ...anyPast,
          },
        },
        'it comes back': {
          expect: {
            status: 'down_in_some_regions',
            seen: { iad: 'down', sjc: 'down', fra: 'down', nrt: 'up' },
            ...anyPast,
          },
        },
        'all lose their network': dark('stale'),
      },
    ),
    alike(
      'a region that stops reporting loses its vote: what it alone was let into is blocked',
      [{ slug: 'open-to-nrt' }],
      {
        measured: { expect: up() },
        'they differ': {
          set: { iad: 'denied', sjc: 'challenged', fra: 'limited' },
          expect: mixed('up', { iad: 'blocked', sjc: 'blocked', fra: 'blocked' }),
        },
        'a region falls silent': {
          expect: blocked({ seen: { ...everywhere('blocked'), nrt: 'stale' } }),
        },
        'it comes back': {
          expect: mixed('up', { iad: 'blocked', sjc: 'blocked', fra: 'blocked' }),
        },
        'all lose their network': dark('stale', []),
        'nobody measures any more': dark('stale', []),
      },
    ),
  ],
  reportsUsual: 'no_data',
}
