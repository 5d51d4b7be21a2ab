import { expect } from 'vitest'
import { slowMs, type Behaviour } from '../behaviour.ts'
import { answerTo } from '../expect-service.ts'
import { fleetRegions } from '../fleet.ts'
import {
  down,
  mixed,
  sameWeather,
  up,
  type Act,
  type InternetExpected,
  type Play,
  type Scenario,
} from '../scenario.ts'
import type { Listed } from '../services.ts'
import { settle } from '../settle.ts'
import { alike, numbered, type MomentOfAll } from './many.ts'

/** Shared factors of services: listed in the catalog, or seen only by probes. */
const onDns = numbered('dns', 5, { dns: 'namely' })
const marked = numbered('marked', 6, { marks: { 'cf-ray': '8f2a1b3c4d5e6f70-FRA' } })
const delegated = numbered('delegated', 7, {
  nameServers: ['ns-1.awsdns-01.com', 'ns-2.awsdns-02.net'],
})
const onCloud = numbered('cloud', 8, { cloud: 'ostara', cloudRegion: 'east-1' })
const onCdn = numbered('cdn', 12, { cdn: 'cloudway' })
const unlucky = numbered('unlucky', 2)
const lucky = numbered('lucky', 14)

const failing = (factor: string, services: readonly Listed[]): InternetExpected => ({
  factor,
  members: services.map(({ slug }) => slug),
})

/** Long enough to refresh the weather. */
const aWhileMs = 62_000
/** An incident ends ten minutes after its services have recovered. */
const quietMs = 11 * 60_000
/** Longer than the time between two rounds over the catalog. */
const roundMs = 6_000

const acts: readonly Act[] = [
  {
    name: 'well',
    happens: ({ fleet }) => fleet.agents.start(fleetRegions),
    internet: 'none',
  },
  {
    name: 'here and there',
    happens: ({ fleet }) => fleet.clock.forward(aWhileMs),
    internet: 'none',
    weather: sameWeather('normal'),
  },
  // each affects more services than the one before, and so is the one reported
  { name: 'a DNS provider', internet: failing('namely', onDns) },
  { name: 'a marked CDN', internet: failing('cloudflare', marked) },
  { name: 'a DNS provider by its servers', internet: failing('route53', delegated) },
  { name: 'a cloud region', internet: failing('ostara/east-1', onCloud) },
  { name: 'a CDN', internet: failing('cloudway', onCdn) },
  {
    name: 'another control plane',
    happens: async ({ fleet }) => {
      await fleet.stopControlPlane()
      await fleet.startControlPlane()
    },
    internet: failing('cloudway', onCdn),
  },
  { name: 'all well', internet: failing('cloudway', onCdn) },
  {
    name: 'quiet',
    happens: async (means) => {
      // ten minutes count from the round that sees the services up
      for (let rounds = 0; rounds < 2; rounds++) {
        means.fleet.clock.step(roundMs)
        await settle(means)
      }
      means.fleet.clock.forward(quietMs)
    },
    internet: 'none',
  },
  // the weather contains no earlier readings
  { name: 'slow', happens: ({ fleet }) => fleet.clock.forward(quietMs), internet: 'none' },
  {
    name: 'slow for a while',
    happens: ({ fleet }) => fleet.clock.forward(aWhileMs),
    internet: 'none',
    weather: sameWeather('slower'),
  },
]

const anyPast = { outages: 'any' } as const
const works = { expect: up(anyPast) }
const isDown = { expect: down(anyPast) }

/** Services that fail from an act on until all is well. */
const failsFrom = (
  act: string,
  name: string,
  services: readonly Listed[],
  how: Behaviour,
  more: Readonly<Record<string, MomentOfAll>> = {},
): Scenario =>
  alike(name, services, {
    well: works,
    [act]: { set: how, ...isDown },
    'another control plane': isDown,
    'all well': { set: 'up', ...works },
    quiet: works,
    slow: { set: 'slow', ...works },
    ...more,
  })

/** All tools return the same incident. */
let sinceFirst: string | null = null
const isTheSame: NonNullable<MomentOfAll['verify']> = async ({ client }) => {
  const { sharedIncident } = await answerTo(client, 'isTheInternetDown')
  expect(sharedIncident).toMatchObject({ measuredCount: 12, regions: fleetRegions.toSorted() })
  expect(sharedIncident?.confidence).toBeGreaterThan(0.9)
  sinceFirst ??= sharedIncident?.since ?? null
  expect(sharedIncident?.since).toBe(sinceFirst)
}

/** Outages with and without a shared cause. */
export const shared: Play = {
  name: 'shared dependencies of services',
  acts,
  scenarios: [
    failsFrom('a DNS provider', 'a DNS provider fails with its services, and no others', onDns, 'unresolved'),
    failsFrom('a marked CDN', 'recognizes an unlisted CDN by its headers', marked, 'down'),
    failsFrom(
      'a DNS provider by its servers',
      'recognizes an unlisted DNS provider by its name servers',
      delegated,
      'unresolved',
    ),
    failsFrom('a cloud region', 'a cloud region fails with its services', onCloud, 'down'),
    failsFrom(
      'a CDN',
      'a CDN that fails with twelve services is one incident, also after a restart',
      onCdn,
      'reset',
      {
        // down in one region only, which may be the region's network
        'here and there': {
          set: { fra: 'down' },
          expect: mixed('down_in_some_regions', { fra: 'down' }, anyPast),
        },
        'a DNS provider': { set: 'up', ...works },
        'a CDN': { set: 'reset', ...isDown, verify: isTheSame },
        'another control plane': { ...isDown, verify: isTheSame },
      },
    ),
    alike('two unrelated outages are no shared incident', unlucky, {
      well: works,
      'here and there': { set: 'down', ...isDown },
      'a CDN': isDown,
      'all well': { set: 'up', ...works },
    }),
    alike('a service without a failing dependency stays up', lucky, {
      well: works,
      'a CDN': works,
      'another control plane': works,
      slow: { set: 'slow', ...works },
    }),
  ],
  reportsUsual: 'no_data',
  usual: lucky.map(({ slug }) => ({
    slug,
    regions: fleetRegions,
    latencyMs: slowMs / 1.6,
    perHour: 6,
  })),
}
