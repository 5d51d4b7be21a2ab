import { expect } from 'vitest'
import { fleetRegions, fleetStaleAfterMs } from '../fleet.ts'
import { down, everywhere, ongoing, sameWeather, up } from '../scenario.ts'
import type { Act, Play, ServiceExpected } from '../scenario.ts'
import { alike, numbered } from './many.ts'
import type { MomentOfAll } from './many.ts'

/** What is remembered of the past is forgotten by then. */
const longMs = 62_000

const normal = sameWeather('normal')

let startedMs = Number.NaN
let firstUpMs: number | null = null
/** Without a past it is not said what is heard before everything fresh must have been. */
const notSooner: NonNullable<MomentOfAll['look']> = async ({ fleet }) => {
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
    name: 'the store is away',
    happens: ({ fleet }) => {
      fleet.store.close('all')
      fleet.clock.forward(longMs)
    },
    internet: 'none',
    weather: normal,
  },
  {
    name: 'a start without it',
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
    name: 'listened for long enough',
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
    name: 'the store is back',
    happens: ({ fleet }) => fleet.store.open(),
    internet: 'none',
    weather: normal,
  },
]

const heard = numbered('heard', 14)
const refused = { outages: 'refused' } as const
const nothing: ServiceExpected = { status: 'no_data', seen: everywhere('unknown'), ...refused }

/** A cold instance answers `no_data` until its memory is filled (S-1222). */
export const storeAway: Play = {
  name: 'the time series away, and back',
  acts,
  scenarios: [
    alike('what works is up by what is heard, and not known before anything is', heard, {
      measured: { expect: up() },
      'the store is away': { expect: up(refused) },
      'a start without it': { expect: nothing },
      'listened for long enough': { expect: up(refused), look: notSooner },
      'the store is back': { expect: up() },
    }),
    alike(
      'what fails is down again once the store says that it worked before',
      [{ slug: 'unheard' }],
      {
        measured: { expect: up() },
        'one fails': { set: 'down', expect: down({ outages: [ongoing()] }) },
        'the store is away': { expect: down(refused) },
        'a start without it': { expect: nothing },
        // nobody here has seen it work
        'listened for long enough': {
          expect: { ...nothing, reason: 'has never worked', undecided: true },
        },
        'the store is back': { expect: down({ outages: 'any' }) },
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
