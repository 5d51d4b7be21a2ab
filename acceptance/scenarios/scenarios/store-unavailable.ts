import { expect } from 'vitest'
import { fleetRegions } from '../fleet.ts'
import { fleetStaleAfterMs, longMs } from '../interval.ts'
import {
  down,
  everywhere,
  ongoing,
  sameWeather,
  up,
  type Act,
  type Play,
  type ServiceExpected,
} from '../scenario.ts'
import { alike, numbered, type MomentOfAll } from './many.ts'

const normal = sameWeather('normal')

let startedMs = Number.NaN
let firstUpMs: number | null = null
/** Without history a cold start answers `no_data` until a freshness interval has passed. */
const notSooner: NonNullable<MomentOfAll['verify']> = async ({ fleet }) => {
  firstUpMs ??= fleet.clock.now()
  expect(firstUpMs - startedMs).toBeGreaterThanOrEqual(fleetStaleAfterMs)
}

const acts: readonly Act[] = [
  {
    name: 'measured',
    happens: ({ fleet }) => fleet.agents.start(fleetRegions),
    internet: 'none',
  },
  {
    name: 'one fails',
    happens: ({ fleet }) => fleet.clock.forward(longMs),
    internet: 'none',
    weather: normal,
  },
  {
    name: 'ClickHouse is unavailable',
    happens: ({ fleet }) => {
      fleet.store.close('all')
      fleet.clock.forward(longMs)
    },
    internet: 'none',
    weather: normal,
  },
  {
    name: 'a start without ClickHouse',
    happens: async ({ fleet }) => {
      await fleet.agents.stop(fleetRegions)
      await fleet.stopControlPlane()
      fleet.store.close('readings')
      await fleet.startControlPlane()
    },
    internet: 'no_data',
    weather: sameWeather('no_data'),
  },
  {
    name: 'readings have arrived for one freshness interval',
    happens: async ({ fleet }) => {
      await fleet.agents.start(fleetRegions)
      await fleet.stopControlPlane()
      startedMs = fleet.clock.now()
      await fleet.startControlPlane()
    },
    internet: 'none',
    weather: sameWeather('no_data'),
  },
  {
    name: 'ClickHouse is back',
    happens: ({ fleet }) => fleet.store.open(),
    internet: 'none',
    weather: normal,
  },
]

const heard = numbered('heard', 14)
const refused = { outages: 'refused' } as const
const nothing: ServiceExpected = { status: 'no_data', seen: everywhere('unknown'), ...refused }

/** A cold instance answers `no_data` until its memory is filled (S-1222). */
export const storeUnavailable: Play = {
  name: 'the time series unavailable, then back',
  acts,
  scenarios: [
    alike('a working service is up from live readings, and unknown before the first one', heard, {
      measured: { expect: up() },
      'ClickHouse is unavailable': { expect: up(refused) },
      'a start without ClickHouse': { expect: nothing },
      'readings have arrived for one freshness interval': { expect: up(refused), verify: notSooner },
      'ClickHouse is back': { expect: up() },
    }),
    alike(
      'a failing service is down again once ClickHouse shows that it worked before',
      [{ slug: 'unheard' }],
      {
        measured: { expect: up() },
        'one fails': { set: 'down', expect: down({ outages: [ongoing()] }) },
        'ClickHouse is unavailable': { expect: down(refused) },
        'a start without ClickHouse': { expect: nothing },
        // no agent of this run has seen it work
        'readings have arrived for one freshness interval': {
          expect: { ...nothing, reason: 'has never worked', undecided: true },
        },
        'ClickHouse is back': { expect: down({ outages: 'any' }) },
      },
    ),
  ],
  reportsUsual: 'no_data',
  usual: heard.map(({ slug }) => ({
    slug,
    regions: fleetRegions,
    latencyMs: 400,
    perHour: 6,
  })),
}
