import { runMesh } from '../../judge/mesh.ts'
import type { Sighting } from '../../judge/mesh.ts'
import { createProduct } from '../../judge/product.ts'
import { servicesCount } from '../../judge/world/world.ts'
import type { Cause, Trouble } from '../../judge/world/world.ts'
import { withoutLongStretches } from '../altered.ts'
import type { Condition, Failure, World } from '../world.ts'
import { majorityOf } from './timeline.ts'
import type { Told } from './timeline.ts'

/**
 * An outage on a virtual clock, at the interval of production: the parts that decide are the real
 * ones, and what requests meet is drawn from the world. The other services of the catalog work.
 */

export const virtualIntervalSeconds = 60
const stretchMsMax = 10 * 60_000
/** Before the world begins, so that every service was seen to work. */
const warmMs = 10 * 60_000
const askMs = 5_000

export const playVirtually = async (
  documented: World,
  seed = 1,
): Promise<{ world: World; told: Told[]; rule: Told[] }> => {
  const world = withoutLongStretches(documented, stretchMsMax)
  const slugs = world.services.map(({ slug }) => slug)
  if (slugs.length > servicesCount) throw new Error(`at most ${servicesCount} services`)
  const product = await createProduct()
  const told: Told[] = []
  const rule: Told[] = []
  /** Whether the last scheduled probe of each region succeeded, by service. */
  const probed = slugs.map(() => new Map<string, boolean>())
  let askedMs = 0
  const ask = (nowMs: number): void => {
    const atMs = world.from + nowMs - warmMs
    for (const [service, slug] of slugs.entries()) {
      const { status, summary } = product.answer(service)
      told.push({ atMs, slug, status, summary })
      const last = [...(probed[service]?.values() ?? [])]
      rule.push({ atMs, slug, status: majorityOf(last), summary: '' })
    }
  }
  const look = (nowMs: number, seen: Sighting | null): void => {
    if (seen !== null && !seen.isRequested) {
      // the rule has one attempt, where an agent has two
      probed[seen.service]?.set(seen.region, seen.met === 'good' && seen.attempts === 1)
    }
    if (seen !== null || nowMs < warmMs || nowMs - askedMs < askMs) return
    askedMs = nowMs
    ask(nowMs)
  }
  const endsMs = world.until - world.from + warmMs
  const troubles = inOrder(world.conditions).map((condition) => troubleOf(world, condition))
  runMesh({ seed, name: world.title, endsMs, troubles }, product.drive, look)
  return { world, told, rule }
}

/** Of two failures at once a request meets that of its name; the last one of a world counts. */
const inOrder = (conditions: readonly Condition[]): Condition[] =>
  conditions.toSorted((a, b) => Number(a.fails.startsWith('names_')) - Number(b.fails.startsWith('names_')))

const causes: Record<Failure, Cause> = {
  names_silent: 'name',
  names_servfail: 'name',
  names_bogus: 'name',
  names_no_address: 'name',
  refused: 'refused',
  connect_timeout: 'timeout',
  unroutable: 'timeout',
  no_answer: 'timeout',
  http: 'answered',
}

const troubleOf = (world: World, condition: Condition): Trouble => {
  const { from, until, services, regions, fails, share, flaps } = condition
  const of = {
    fromMs: from - world.from + warmMs,
    toMs: until - world.from + warmMs,
    services: services.map((slug) => world.services.findIndex((one) => one.slug === slug)),
    regions,
    cause: causes[fails],
  }
  if (flaps === undefined) return { ...of, kind: 'outage', share }
  const [offMs, onMs] = [flaps.failsSeconds * 1_000, flaps.worksSeconds * 1_000]
  return { ...of, kind: 'flapping', offMs, onMs }
}
