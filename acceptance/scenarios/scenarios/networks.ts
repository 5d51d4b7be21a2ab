import { fleetRegions } from '../fleet.ts'
import { longMs } from '../interval.ts'
import {
  blocked,
  down,
  everywhere,
  mixed,
  ongoing,
  sameWeather,
  up,
  type Act,
  type Play,
  type SeenBy,
  type ServiceExpected,
} from '../scenario.ts'
import { alike, numbered } from './many.ts'

/** No data of earlier days. */
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
    name: 'all regions lose their network',
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
  // no shared factor: the answer is unknown
  { name: 'everything fails', internet: 'unknown', ...noWeather },
  {
    name: 'all agents stop',
    happens: async ({ fleet }) => {
      await fleet.agents.stop(fleetRegions)
      fleet.clock.forward(longMs)
    },
    // silence does not clear the last answer
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

/** Regions and their networks: which readings answers use, and answers without any. */
export const networks: Play = {
  name: 'regions and their networks',
  acts,
  scenarios: [
    alike(
      'a working service is up by the regions read, has no data without any, and is never down',
      [...numbered('net', 4), ...numbered('net-cdn', 8, { cdn: 'cloudway' })],
      {
        'before the first reading': dark('unknown', []),
        measured: works,
        'a region falls silent': without('nrt'),
        'it comes back': works,
        'a region loses its network': without('fra'),
        'all regions lose their network': dark('stale'),
        'the networks are back': works,
        'everything fails': { set: 'down', expect: down({ reason: 'got 503', ...anyPast }) },
        'all agents stop': dark('stale'),
      },
    ),
    alike('a silent region loses its vote: a service down only there is up', [{ slug: 'down-in-nrt' }], {
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
      'all regions lose their network': dark('stale'),
      'the networks are back': {
        expect: mixed('down_in_some_regions', { nrt: 'down' }, anyPast),
      },
      'all agents stop': dark('stale'),
    }),
    alike('a silent region loses its vote: a service up only there is down', [{ slug: 'up-in-nrt' }], {
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
      'all regions lose their network': dark('stale'),
    }),
    alike(
      'a silent region loses its vote: a service that blocks all others is blocked',
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
        'all regions lose their network': dark('stale', []),
        'all agents stop': dark('stale', []),
      },
    ),
  ],
  reportsUsual: 'no_data',
}
