import type { OldRule } from './product.ts'
import { servicesCount, worldRegions } from './world/world.ts'
import type { Trouble, World } from './world/world.ts'

/** An old or a broken rule in the place of one decision, a world in which it shows, and the bound that it breaks. */
export type PlantedFault = { name: string; rule: OldRule; worlds: readonly World[]; breaks: string }

const minuteMs = 60_000
const everywhere: readonly string[] = worldRegions

const worldOf = (name: string, ...troubles: Trouble[]): World => ({
  seed: 28,
  name,
  endsMs: 20 * minuteMs,
  troubles,
})
const lasting = { fromMs: 5 * minuteMs, toMs: 12 * minuteMs }
const first = (share: number): number[] =>
  Array.from({ length: Math.round(share * servicesCount) }, (_, n) => n)

export const worlds = {
  outage: worldOf('an outage', {
    kind: 'outage',
    services: [3, 4, 5],
    regions: everywhere,
    cause: 'answered',
    share: 1,
    ...lasting,
  }),
  answeredInRegion: worldOf('a region of a CDN answers 503', {
    kind: 'outage',
    services: first(0.5),
    regions: ['fra'],
    cause: 'answered',
    share: 1,
    ...lasting,
  }),
  refused: worldOf('refused everywhere', {
    kind: 'refusal',
    services: [3],
    regions: everywhere,
    ...lasting,
  }),
  stalled: worldOf(
    'a service times out in one region while the agents of another stand still',
    {
      kind: 'outage',
      services: [3],
      regions: ['fra'],
      cause: 'timeout',
      share: 1,
      ...lasting,
    },
    { kind: 'agents', region: 'nrt', how: 'stalled', byMs: 0, ...lasting },
    { kind: 'own', services: first(0.5), regions: ['nrt'], cause: 'timeout', ...lasting },
  ),
  never: worldOf('what is asked never worked', {
    kind: 'never',
    services: [3],
    regions: everywhere,
    fromMs: Number.NEGATIVE_INFINITY,
    toMs: Number.POSITIVE_INFINITY,
  }),
  late: worldOf(
    'the agents of two regions are late',
    ...['fra', 'nrt'].map((region): Trouble => ({
      kind: 'agents',
      region,
      how: 'late',
      byMs: 20_000,
      ...lasting,
    })),
  ),
} as const

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a refusal counts as a failure',
    rule: {
      counted: (reading) =>
        reading.verdict === 'blocked' ? { ...reading, verdict: 'down' } : reading,
    },
    worlds: [worlds.refused],
    breaks: 'wrong down',
  },
  {
    name: 'what an agent could not measure counts as a failure',
    rule: {
      counted: (reading) =>
        reading.verdict === 'unmeasured'
          ? { ...reading, verdict: 'down', fault: 'target' }
          : reading,
    },
    worlds: [worlds.stalled],
    breaks: 'wrong down_in_some_regions',
  },
  {
    name: 'a reading is believed for an interval only',
    rule: { staleAfterMs: 40_000 },
    worlds: [worlds.late],
    breaks: 'no_data beside fresh verdicts',
  },
]
