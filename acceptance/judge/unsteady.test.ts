import { describe, expect, inject, test } from 'vitest'
import { runMesh } from './mesh.ts'
import { createProduct } from './product.ts'
import { createRandom } from './world/random.ts'
import { servicesCount, worldRegions } from './world/world.ts'
import type { Trouble, World } from './world/world.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** A hundred where the suite is named. */
const seeds = inject('worlds') > 100 ? 100 : 25
/** Seeds share a world: its services have slots of their own, and fail by themselves. */
const servicesEach = 25
const patience = 600_000

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

/** What became of each service in an hour: the flips of its check, and when it was first degraded. */
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
  const told = new Map<number, number>()
  let wasDown = 0
  let flippedBefore: Map<number, number> | null = null
  runMesh(world, product.drive, (nowMs, seen) => {
    if (nowMs < fromMs) return
    flippedBefore ??= new Map(services.map((service) => [service, product.flips(service)]))
    if (seen === null) return
    const { service } = seen
    const trouble = world.troubles.find(
      (one) => 'services' in one && one.services.includes(service),
    )
    if (trouble === undefined) return
    began.set(service, trouble.fromMs)
    const { status, intermittent } = product.check(service)
    if (status === 'down' || product.answer(service).status === 'down') wasDown += 1
    if (intermittent !== undefined && !told.has(service)) told.set(service, nowMs)
  })
  return services.map((service) => ({
    service,
    flips: product.flips(service) - (flippedBefore?.get(service) ?? 0),
    toldAfterMs: (told.get(service) ?? Number.POSITIVE_INFINITY) - (began.get(service) ?? 0),
    wasDown,
  }))
}

describe.each(kinds)('$name', (kind) => {
  test(
    'is one period: degraded with its share within five intervals, two flips at most, never down',
    async () => {
      const all = []
      for (let seed = 1; seed <= seeds / servicesEach; seed++)
        all.push(...(await watch(kind, seed)))
      expect(all).toHaveLength(seeds)
      expect(all.filter(({ flips }) => flips > 2)).toEqual([])
      expect(all.filter(({ wasDown }) => wasDown > 0)).toEqual([])
      const late = all.filter(({ toldAfterMs }) => toldAfterMs > 5 * minuteMs)
      expect(late).toEqual([])
    },
    patience,
  )
})
