import type { OldRule } from './product.ts'
import { servicesCount, worldRegions, type Trouble, type World } from './world/world.ts'

/** An old or broken rule for one decision, worlds that reveal it, and the bound that it breaks. */
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

const worlds = {
  outage: worldOf('an outage', {
    kind: 'outage',
    services: [0, 2, 12],
    regions: everywhere,
    cause: 'answered',
    share: 1,
    ...lasting,
  }),
  answeredInRegion: worldOf('a CDN answers 503 in one region', {
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
    'a service times out in one region while the agents of another region freeze',
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
  never: worldOf('a service that never worked', {
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
  moving: worldOf('a split that moves', {
    kind: 'moving',
    services: first(0.3),
    regions: everywhere,
    cause: 'answered',
    everyMs: minuteMs,
    ...lasting,
  }),
  some: worldOf('services fail in one region', {
    kind: 'outage',
    services: first(0.5),
    regions: ['nrt'],
    cause: 'answered',
    share: 1,
    ...lasting,
  }),
  own: worldOf('our own network drops half of the probes of a region', {
    kind: 'own',
    services: first(0.5),
    regions: ['fra'],
    cause: 'reset',
    ...lasting,
  }),
  ownFew: worldOf('our own network drops a tenth of the probes of a region', {
    kind: 'own',
    services: first(0.1),
    regions: ['fra'],
    cause: 'timeout',
    ...lasting,
  }),
} as const

export const plantedFaults: readonly PlantedFault[] = [
  {
    name: 'a refusal counts as a failure',
    rule: {
      counted: (reading) => (reading.verdict === 'blocked' ? { ...reading, verdict: 'down' } : reading),
    },
    worlds: [worlds.refused],
    breaks: 'wrong down',
  },
  {
    name: 'an unmeasured reading counts as a failure',
    rule: {
      counted: (reading) =>
        reading.verdict === 'unmeasured' ? { ...reading, verdict: 'down', fault: 'target' } : reading,
    },
    worlds: [worlds.stalled],
    breaks: 'wrong down_in_some_regions',
  },
  {
    name: 'a reading expires after a third of an interval',
    rule: { staleAfterMs: 20_000 },
    worlds: [worlds.late],
    breaks: 'no_data despite fresh verdicts',
  },
  {
    name: 'answered failures count as evidence against a region',
    rule: {
      watched: (reading) => (reading.verdict === 'down' ? { ...reading, cause: 'connect_timeout' } : reading),
    },
    worlds: [worlds.answeredInRegion],
    breaks: 'wrong up',
  },
  {
    name: 'votes of different slots are counted together',
    rule: { counted: (reading) => ({ ...reading, kind: 'confirmation', slot: 1 }) },
    worlds: [worlds.moving],
    breaks: 'a check wrongly down',
  },
  {
    name: 'a good reading requests no confirmation',
    rule: { confirming: (regions, { verdict }) => (verdict === 'up' ? [] : regions) },
    worlds: [worlds.outage],
    breaks: 'p95 seconds to report a recovery everywhere',
  },
  {
    name: 'the failing region gets no confirmation request',
    rule: { confirming: (regions, { region }) => regions.filter((one) => one !== region) },
    worlds: [worlds.some],
    breaks: 'p95 seconds to report an answered failure in some regions',
  },
  {
    name: 'silence is reported without a doubt rule',
    rule: {
      counted: (reading) => (reading.verdict === 'down' ? { ...reading, cause: 'status_mismatch' } : reading),
    },
    worlds: [worlds.own],
    breaks: 'wrong down_in_some_regions',
  },
  {
    name: 'simultaneous silence of services in one region counts as separate outages',
    rule: { noBursts: true },
    worlds: [worlds.ownFew],
    breaks: 'healthy services reported down on undecided evidence, percent',
  },
  {
    name: 'a service that never worked is reported down',
    rule: {
      counted: (reading, nowMs) =>
        nowMs < Date.parse('2026-11-20T12:01:30Z')
          ? { ...reading, verdict: 'up', fault: 'none', cause: 'ok', reason: null }
          : reading,
    },
    worlds: [worlds.never],
    breaks: 'wrong down',
  },
]
