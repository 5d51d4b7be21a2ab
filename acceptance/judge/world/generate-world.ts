import { createRandom, type Random } from './random.ts'
import { causes, servicesCount, silentCauses, worldRegions, type Trouble, type World } from './world.ts'

const minuteMs = 60_000
/** The healthy time before the first trouble. */
const quietMs = 4 * minuteMs
/** The time after a trouble in which its recovery must be reported. */
const watchedMs = 5.2 * minuteMs
const services = Array.from({ length: servicesCount }, (_, n) => n)
const everywhere: readonly string[] = worldRegions

type Kind = { name: string; weight: number; make: (random: Random) => Trouble[] }

/** A period after five quiet minutes. */
const lasting = (random: Random): { fromMs: number; toMs: number } => {
  const fromMs = quietMs + Math.round(random.between(0, 3 * minuteMs))
  return { fromMs, toMs: fromMs + Math.round(random.between(6, 11) * minuteMs) }
}

const oneOrTwo = (random: Random): string[] => random.some(everywhere, random.whole(1, 2))

const kinds: readonly Kind[] = [
  {
    name: 'outage everywhere',
    weight: 5,
    make: (random) => [
      {
        kind: 'outage',
        services: random.some(services, random.whole(1, 4)),
        regions: everywhere,
        cause: random.pick(causes),
        share: 1,
        ...lasting(random),
      },
    ],
  },
  {
    name: 'outage in some regions',
    weight: 4,
    make: (random) => [
      {
        kind: 'outage',
        services: [random.pick(services)],
        regions: random.some(everywhere, random.whole(1, 3)),
        cause: random.pick(causes),
        share: 1,
        ...lasting(random),
      },
    ],
  },
  {
    name: 'answered failures of many in a region',
    weight: 3,
    make: (random) => [
      {
        kind: 'outage',
        services: random.some(services, Math.round(random.between(0.15, 0.6) * services.length)),
        regions: oneOrTwo(random),
        cause: 'answered',
        share: 1,
        ...lasting(random),
      },
    ],
  },
  {
    name: 'some requests fail',
    weight: 2,
    make: (random) => [
      {
        kind: 'outage',
        services: [random.pick(services)],
        regions: random.chance(0.5) ? everywhere : random.some(everywhere, random.whole(1, 3)),
        cause: random.pick(causes),
        share: 1 / 3,
        ...lasting(random),
      },
    ],
  },
  {
    name: 'fails and works in turn',
    weight: 2,
    make: (random) => {
      const isSlow = random.chance(0.3)
      const phaseMs = 1_000 * (isSlow ? random.whole(300, 360) : random.whole(20, 150))
      const { fromMs } = lasting(random)
      return [
        {
          kind: 'flapping',
          services: [random.pick(services)],
          regions: random.chance(0.5) ? everywhere : oneOrTwo(random),
          cause: random.pick(causes),
          offMs: phaseMs,
          onMs: phaseMs,
          fromMs,
          toMs: fromMs + 12 * minuteMs,
        },
      ]
    },
  },
  {
    name: 'a split that moves',
    weight: 2,
    make: (random) => {
      const { fromMs } = lasting(random)
      return [
        {
          kind: 'moving',
          services: [random.pick(services)],
          regions: random.some(everywhere, everywhere.length),
          cause: random.pick(causes),
          everyMs: Math.round(random.between(45, 130) * 1_000),
          fromMs,
          toMs: fromMs + 12 * minuteMs,
        },
      ]
    },
  },
  {
    name: 'our own network',
    weight: 5,
    make: (random) => {
      const share = random.between(0.05, 0.6)
      const regions = oneOrTwo(random)
      const time = lasting(random)
      const cause = random.pick(silentCauses)
      return regions.map((region): Trouble => ({
        kind: 'own',
        services: random.some(services, Math.max(1, Math.round(share * services.length))),
        regions: [region],
        cause,
        ...time,
      }))
    },
  },
  {
    name: 'agents',
    weight: 3,
    make: (random) =>
      oneOrTwo(random).map((region): Trouble => {
        const how = random.pick(['dead', 'late', 'stalled', 'skewed'] as const)
        const byMs =
          how === 'late'
            ? random.whole(5_000, 40_000)
            : random.whole(2_000, 25_000) * (random.chance(0.5) ? 1 : -1)
        return { kind: 'agents', region, how, byMs, ...lasting(random) }
      }),
  },
  {
    name: 'refused',
    weight: 2,
    make: (random) => [
      {
        kind: 'refusal',
        services: random.some(services, random.whole(1, 3)),
        regions: random.chance(0.5) ? everywhere : random.some(everywhere, random.whole(1, 3)),
        ...lasting(random),
      },
    ],
  },
  {
    name: 'never worked',
    weight: 1,
    make: (random) => [
      {
        kind: 'never',
        services: [random.pick(services)],
        regions: everywhere,
        fromMs: Number.NEGATIVE_INFINITY,
        toMs: Number.POSITIVE_INFINITY,
      },
    ],
  },
]

const weighted = kinds.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))

/** Each service has only one trouble, because two could not be distinguished. */
const withoutServicesOf = (trouble: Trouble, others: readonly Trouble[]): Trouble => {
  if (!('services' in trouble) || trouble.kind === 'own') return trouble
  const used = new Set(
    others.flatMap((other) => ('services' in other && other.kind !== 'own' ? other.services : [])),
  )
  return { ...trouble, services: trouble.services.filter((service) => !used.has(service)) }
}

/** Generates a world with one or two kinds of trouble, the same for the same seed. */
export const generateWorld = (seed: number): World => {
  const random = createRandom(seed)
  const chosen = [random.pick(weighted), ...(random.chance(0.5) ? [random.pick(weighted)] : [])]
  const troubles: Trouble[] = []
  for (const kind of chosen) {
    const made = kind.make(random)
    troubles.push(...made.map((trouble) => withoutServicesOf(trouble, troubles)))
  }
  const lastMs = Math.max(...troubles.map(({ toMs }) => toMs).filter(Number.isFinite), 10 * minuteMs)
  return {
    seed,
    name: chosen.map(({ name }) => name).join(' and '),
    endsMs: lastMs + watchedMs,
    troubles,
  }
}
