import { runMesh, type Sighting } from '../../judge/mesh.ts'
import { createProduct } from '../../judge/product.ts'
import { servicesCount, type Cause, type Trouble } from '../../judge/world/world.ts'
import { withoutLongStretches } from '../altered.ts'
import type { Condition, Failure, World } from '../world.ts'
import { majorityOf, type TimedAnswer } from './timeline.ts'

/**
 * Plays an outage on a virtual clock, at the interval of production, with the real decisions. The outcome of
 * requests is drawn from the world. Other services of the catalog work.
 */

export const virtualIntervalSeconds = 60
const stretchMsMax = 10 * 60_000
/** The time before the world starts, so that every service has worked. */
const warmMs = 10 * 60_000
const queryMs = 5_000

export const playVirtually = async (
  documented: World,
  seed = 1,
): Promise<{ world: World; answers: TimedAnswer[]; rule: TimedAnswer[] }> => {
  const world = withoutLongStretches(documented, stretchMsMax)
  const slugs = world.services.map(({ slug }) => slug)
  if (slugs.length > servicesCount) throw new Error(`at most ${servicesCount} services`)
  const product = await createProduct()
  const answers: TimedAnswer[] = []
  const rule: TimedAnswer[] = []
  /** Whether the last scheduled probe of each region succeeded, by service. */
  const probed = slugs.map(() => new Map<string, boolean>())
  let queriedMs = 0
  const query = (nowMs: number): void => {
    const atMs = world.from + nowMs - warmMs
    for (const [service, slug] of slugs.entries()) {
      const { status, summary } = product.answer(service)
      answers.push({ atMs, slug, status, summary })
      const last = [...(probed[service]?.values() ?? [])]
      rule.push({ atMs, slug, status: majorityOf(last), summary: '' })
    }
  }
  const observe = (nowMs: number, seen: Sighting | null): void => {
    if (seen !== null && !seen.isRequested) {
      // the rule has one attempt, where an agent has two
      probed[seen.service]?.set(seen.region, seen.met === 'good' && seen.attempts === 1)
    }
    if (seen !== null || nowMs < warmMs || nowMs - queriedMs < queryMs) return
    queriedMs = nowMs
    query(nowMs)
  }
  const endsMs = world.until - world.from + warmMs
  const troubles = inOrder(world.conditions).map((condition) => troubleOf(world, condition))
  runMesh({ seed, name: world.title, endsMs, troubles }, product.drive, observe)
  return { world, answers, rule }
}

/** Orders conditions so that a failure of names comes last: of several failures the last one counts. */
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
