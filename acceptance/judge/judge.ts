import { runMesh, type Sighting } from './mesh.ts'
import { createProduct, type OldRule } from './product.ts'
import { addDelay, newTally, type Tally, type Wrong } from './tally.ts'
import {
  changesOf,
  checkMayBe,
  checkTruthOf,
  isDecidable,
  isSteady,
  truthOf,
  type Truth,
} from './world/truth.ts'
import { foundBy, servicesCount, worldRegions, type World } from './world/world.ts'

const queryIntervalMs = 15_000
/** Healthy services that are queried as well. */
const quietServices = 4
/** Queries start after every service has a reading. */
const warmMs = 150_000
/** A verdict of this age is stale. */
const freshMs = 145_000
/** Every region has a new reading within this time. */
const roundMs = 90_000
/** A change before this time ends the measurement of a delay. */
const steadyMs = 300_000

const right: Readonly<Record<Truth, readonly string[]>> = {
  up: ['up'],
  down: ['down'],
  down_in_some_regions: ['down_in_some_regions'],
  blocked: ['blocked'],
  comes_and_goes: ['up', 'down_in_some_regions'],
  never_worked: ['no_data'],
}

/** Delivered readings by service and region, to judge answers without data. */
const createArrivals = () => {
  const newest = new Map<string, number>()
  const worked = new Set<string>()
  const failedAt = new Map<string, number>()
  return {
    record: ({ service, region, met, measuredAt }: Sighting): void => {
      const key = `${service} ${region}`
      if (met === null) return
      newest.set(key, Math.max(newest.get(key) ?? 0, measuredAt))
      if (met === 'good') worked.add(key)
      else failedAt.set(key, Math.max(failedAt.get(key) ?? 0, measuredAt))
    },
    /** Number of regions with a failure within a round, after the retry. */
    failed: (service: number, nowMs: number): number =>
      worldRegions.filter((region) => nowMs - (failedAt.get(`${service} ${region}`) ?? -Infinity) <= roundMs)
        .length,
    /** Number of regions with fresh data about a service that worked there before. */
    known: (service: number, nowMs: number): number =>
      worldRegions.filter((region) => {
        const key = `${service} ${region}`
        return worked.has(key) && nowMs - (newest.get(key) ?? 0) <= freshMs
      }).length,
  }
}

const wrongOf = (truth: Truth, answer: string, known: number): Wrong | null => {
  if (right[truth].includes(answer)) return null
  if (answer === 'no_data') return truth !== 'never_worked' && known >= 2 ? 'no_data' : null
  return `wrong ${answer}`
}

/** A change whose delay is measured; its bound depends on `class`. */
type Waiting = { service: number; atMs: number; class: string; answer: Truth; check: string }

/** Judges the answers in one world against the truth. */
export const judgeWorld = async (world: World, old?: OldRule): Promise<Tally> => {
  const product = await createProduct(old)
  const tally = newTally()
  const arrivals = createArrivals()
  const changes = Array.from({ length: servicesCount }, (_, service) => changesOf(world, service))
  let waiting = waitingOf(world, changes)
  const observed = observedServices(world)
  let nextQueryAt = warmMs

  const query = (nowMs: number): void => {
    for (const service of observed) {
      if (!isSteady(changes[service] ?? [], nowMs)) continue
      const truth = truthOf(world, service, nowMs)
      const kind = isDecidable(world, service, nowMs, servicesCount) ? 'decided' : 'undecided'
      const { status, summary } = product.answer(service)
      const known = arrivals.known(service, nowMs)
      const failed = isByChance(world, service) ? arrivals.failed(service, nowMs) : 0
      const isFair = status === 'down' && (isDownAtTimes(world, service) || failed === worldRegions.length)
      const wrong = isFair ? null : wrongOf(truth, status, known)
      tally.answers.add(kind, truth, status)
      if (wrong !== null) tally.wrongs.add(kind, wrong, { world, service, nowMs, summary })
      const checkTruth = checkTruthOf(world, service, nowMs)
      const check = product.check(service)
      tally.checks.add(kind, checkTruth, check.status)
      if (check.status === 'down' && checkTruth === 'comes_and_goes') {
        if (isDownAtTimes(world, service) || failed * 2 > worldRegions.length) continue
        if (checkMayBe(world, service, nowMs).includes('down')) continue
        const reason = check.statusReason ?? ''
        tally.wrongs.add(kind, 'check down', { world, service, nowMs, summary: reason })
        continue
      }
      const isOff = checkTruth !== 'comes_and_goes' && checkTruth !== 'unknown'
      if (!isOff || checkTruth === check.status || truth === 'never_worked') continue
      if (checkMayBe(world, service, nowMs).includes(check.status)) continue
      const reason = check.statusReason ?? ''
      tally.wrongs.add(kind, `check ${check.status}`, { world, service, nowMs, summary: reason })
    }
  }

  const recordDelays = (nowMs: number): void => {
    waiting = waiting.filter((one) => {
      if (nowMs < one.atMs) return true
      const isReported = product.answer(one.service).status === one.answer
      if (isReported) addDelay(tally, one.class, nowMs - one.atMs)
      else if (nowMs - one.atMs < steadyMs) return true
      else addDelay(tally, one.class, Number.POSITIVE_INFINITY)
      return false
    })
  }

  runMesh(world, product.drive, (nowMs, seen) => {
    if (seen !== null) arrivals.record(seen)
    if (waiting.length > 0) recordDelays(nowMs)
    if (seen !== null || nowMs < nextQueryAt) return
    nextQueryAt += queryIntervalMs
    query(nowMs)
  })
  tally.worlds = 1
  return tally
}

/** Services with a trouble, and a few healthy ones. */
const observedServices = ({ troubles }: World): number[] => {
  const concerned = new Set(troubles.flatMap((trouble) => ('services' in trouble ? trouble.services : [])))
  const all = Array.from({ length: servicesCount }, (_, service) => service)
  const quiet = all.filter((service) => !concerned.has(service)).slice(0, quietServices)
  return [...concerned, ...quiet]
}

/** Whether an intermittent failure is a full outage while it lasts. */
const isDownAtTimes = ({ troubles }: World, service: number): boolean =>
  troubles.some(
    (trouble) =>
      trouble.kind === 'flapping' &&
      trouble.services.includes(service) &&
      trouble.regions.length === worldRegions.length,
  )

/** Whether only some requests fail. All requests of one moment may fail, which looks like an outage. */
const isByChance = ({ troubles }: World, service: number): boolean =>
  troubles.some(
    (trouble) => trouble.kind === 'outage' && trouble.share < 1 && trouble.services.includes(service),
  )

const waitingOf = (world: World, changes: readonly (readonly number[])[]): Waiting[] => {
  // faulty agents and faulty networks of ours have other delays
  if (world.troubles.some(({ kind }) => kind === 'own' || kind === 'agents')) return []
  return changes.flatMap((instants, service) =>
    instants.flatMap((atMs, index): Waiting[] => {
      const [before, after] = [instants[index - 1] ?? 0, instants[index + 1] ?? world.endsMs]
      if (atMs - before < 180_000 || after - atMs < steadyMs) return []
      const answer = truthOf(world, service, atMs)
      const check = checkTruthOf(world, service, atMs)
      const name = classOf(world, service, atMs)
      return name === null ? [] : [{ service, atMs, class: name, answer, check }]
    }),
  )
}

const timedTruths: ReadonlySet<Truth> = new Set(['up', 'down', 'down_in_some_regions'])

const classOf = (world: World, service: number, atMs: number): string | null => {
  const [before, after] = [truthOf(world, service, atMs - 1), truthOf(world, service, atMs)]
  if (before === after || !timedTruths.has(before) || !timedTruths.has(after)) return null
  const isOutage = after !== 'up'
  const truth = isOutage ? after : before
  const where = truth === 'down' ? 'everywhere' : 'in some regions'
  if (!isOutage) return `recovery, ${where}`
  const region = worldRegions.find((one) => foundBy(world, service, one, atMs) === 'fails')
  const cause = world.troubles.flatMap((trouble) =>
    'cause' in trouble &&
    trouble.kind !== 'own' &&
    trouble.services.includes(service) &&
    region !== undefined &&
    trouble.regions.includes(region)
      ? [trouble.cause]
      : [],
  )[0]
  // what the agent proves counts like an answer
  const isAnswer = cause === 'answered' || cause === 'name' || cause === 'tls'
  const how = cause === 'timeout' ? 'time-out' : isAnswer ? 'answered failure' : 'no connection'
  return `${how}, ${where}`
}
