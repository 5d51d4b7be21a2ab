import { describe, expect, inject, test } from 'vitest'
import { runMesh } from './mesh.ts'
import { createProduct } from './product.ts'
import { createRandom } from './world/random.ts'
import { servicesCount, worldRegions, type Trouble, type World } from './world/world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A hundred if the suite runs by name. */
const seeds = inject('worlds') > 100 ? 100 : 25
/** Several seeds share a world, because its services have independent slots and failures. */
const servicesEach = 25
const patience = 600_000
/** The maximum difference of arrival times of readings. */
const arrivesMs = 1_000

type Kind = { name: string; troubles: (service: number, fromMs: number) => Trouble }

const kinds: readonly Kind[] = [
  {
    name: 'a split that moves between two halves of the regions each interval',
    troubles: (service, fromMs) => ({
      kind: 'moving',
      services: [service],
      regions: worldRegions,
      cause: 'answered',
      everyMs: minuteMs,
      fromMs,
      toMs: fromMs + hourMs,
    }),
  },
  {
    name: 'a region that fails in every third interval',
    troubles: (service, fromMs) => ({
      kind: 'flapping',
      services: [service],
      regions: [worldRegions[service % worldRegions.length] ?? 'fra'],
      cause: 'answered',
      offMs: minuteMs,
      onMs: 2 * minuteMs,
      fromMs,
      toMs: fromMs + hourMs,
    }),
  },
]

/** The results of each service in an hour: the flips of its check, and when it was first degraded. */
const watch = async (kind: Kind, seed: number) => {
  const random = createRandom(seed)
  const services = random.some(
    Array.from({ length: servicesCount }, (_, n) => n),
    servicesEach,
  )
  const fromMs = 5 * minuteMs
  const world: World = {
    seed,
    name: kind.name,
    endsMs: fromMs + hourMs,
    troubles: services.map((service) => kind.troubles(service, fromMs + random.whole(0, 60_000))),
  }
  const product = await createProduct()
  const began = new Map<number, number>()
  const reported = new Map<number, number>()
  let wasDown = 0
  let flippedBefore: Map<number, number> | null = null
  runMesh(world, product.drive, (nowMs, seen) => {
    if (nowMs < fromMs) return
    flippedBefore ??= new Map(services.map((service) => [service, product.flips(service)]))
    if (seen === null) return
    const { service } = seen
    const trouble = world.troubles.find((one) => 'services' in one && one.services.includes(service))
    if (trouble === undefined) return
    if (seen.met !== 'good' && !began.has(service)) began.set(service, nowMs)
    const { status, intermittent } = product.check(service)
    if (status === 'down' || product.answer(service).status === 'down') wasDown += 1
    if (intermittent !== undefined && !reported.has(service)) reported.set(service, nowMs)
  })
  return services.map((service) => ({
    service,
    flips: product.flips(service) - (flippedBefore?.get(service) ?? 0),
    reportedAfterMs: (reported.get(service) ?? Number.POSITIVE_INFINITY) - (began.get(service) ?? 0),
    wasDown,
  }))
}

/** Seconds from a real outage during intermittent failures until each service is reported down. */
const outagesAmid = async (kind: Kind, seed: number): Promise<number[]> => {
  const random = createRandom(seed)
  const services = random.some(
    Array.from({ length: servicesCount }, (_, n) => n),
    servicesEach,
  )
  const fromMs = 5 * minuteMs
  const outages = new Map(
    services.map((service) => [service, fromMs + 20 * minuteMs + random.whole(0, 3 * 60_000)]),
  )
  const troubles = services.flatMap((service): Trouble[] => {
    const beginsMs = outages.get(service) ?? 0
    const outage: Trouble = {
      kind: 'outage',
      services: [service],
      regions: worldRegions,
      cause: 'answered',
      share: 1,
      fromMs: beginsMs,
      toMs: beginsMs + hourMs,
    }
    return [kind.troubles(service, fromMs), outage]
  })
  const product = await createProduct()
  const reported = new Map<number, number>()
  const world = { seed, name: kind.name, endsMs: fromMs + 26 * minuteMs, troubles }
  runMesh(world, product.drive, (nowMs, seen) => {
    const beginsMs = outages.get(seen?.service ?? -1)
    if (seen === null || beginsMs === undefined || nowMs < beginsMs) return
    const { service } = seen
    if (reported.has(service) || product.check(service).status !== 'down') return
    if (product.answer(service).status === 'down') reported.set(service, (nowMs - beginsMs) / 1_000)
  })
  return services.map((service) => reported.get(service) ?? Number.POSITIVE_INFINITY)
}

describe.each(kinds)('$name', (kind) => {
  test(
    'stays one period: degraded within three intervals, at most two flips, never down',
    async () => {
      const all = []
      for (let seed = 1; seed <= seeds / servicesEach; seed++) all.push(...(await watch(kind, seed)))
      expect(all).toHaveLength(seeds)
      expect(all.filter(({ flips }) => flips > 2)).toEqual([])
      expect(all.filter(({ wasDown }) => wasDown > 0)).toEqual([])
      const late = all.filter(({ reportedAfterMs }) => reportedAfterMs > 3 * minuteMs + arrivesMs)
      expect(late).toEqual([])
    },
    patience,
  )

  test(
    'a real outage everywhere during it is reported within 20 s',
    async () => {
      const all = []
      for (let seed = 1; seed <= seeds / servicesEach; seed++) all.push(...(await outagesAmid(kind, seed)))
      expect(all).toHaveLength(seeds)
      expect(all.filter((seconds) => seconds > 20)).toEqual([])
    },
    patience,
  )
})
