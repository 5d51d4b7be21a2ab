import { runMesh } from './mesh.ts'
import type { Sighting } from './mesh.ts'
import { createProduct } from './product.ts'
import type { OldRule } from './product.ts'
import { addDelay, newTally } from './tally.ts'
import type { Tally, Wrong } from './tally.ts'
import {
  changesOf,
  checkMayBe,
  checkTruthOf,
  isDecidable,
  isSteady,
  truthOf,
} from './world/truth.ts'
import type { Truth } from './world/truth.ts'
import { foundBy, servicesCount, worldRegions } from './world/world.ts'
import type { World } from './world/world.ts'

const askEveryMs = 15_000
/** Services that nothing happens to, which are asked about as well. */
const quietOnes = 4
/** Nothing is asked before everything was measured once. */
const warmMs = 150_000
/** A verdict so old is no longer news of the service. */
const freshMs = 145_000
/** Every region has measured within so long. */
const roundMs = 90_000
/** What changes again sooner is not waited for. */
const steadyMs = 300_000

const right: Readonly<Record<Truth, readonly string[]>> = {
  up: ['up'],
  down: ['down'],
  down_in_some_regions: ['down_in_some_regions'],
  blocked: ['blocked'],
  comes_and_goes: ['up', 'down_in_some_regions'],
  never_worked: ['no_data'],
}

/** What the mesh has delivered of each service and region, so that an empty answer can be judged. */
const createArrivals = () => {
  const newest = new Map<string, number>()
  const worked = new Set<string>()
  const failedAt = new Map<string, number>()
  return {
    take: ({ service, region, met, measuredAt }: Sighting): void => {
      const key = `${service} ${region}`
      if (met === null) return
      newest.set(key, Math.max(newest.get(key) ?? 0, measuredAt))
      if (met === 'good') worked.add(key)
      else failedAt.set(key, Math.max(failedAt.get(key) ?? 0, measuredAt))
    },
    /** In how many regions a request failed within a round, although it was tried again. */
    failed: (service: number, nowMs: number): number =>
      worldRegions.filter(
        (region) => nowMs - (failedAt.get(`${service} ${region}`) ?? -Infinity) <= roundMs,
      ).length,
    /** In how many regions something fresh is known of what once worked there. */
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

/** A change for people that the answers are timed by; `class` is what its bound depends on. */
type Waiting = { service: number; atMs: number; class: string; answer: Truth; check: string }

/** Judges one world: what is answered beside what is so. */
export const judgeWorld = async (world: World, old?: OldRule): Promise<Tally> => {
  const product = await createProduct(old)
  const tally = newTally()
  const arrivals = createArrivals()
  const changes = Array.from({ length: servicesCount }, (_, service) => changesOf(world, service))
  let waiting = waitingOf(world, changes)
  const asked = askedOf(world)
  let askAt = warmMs

  const ask = (nowMs: number): void => {
    for (const service of asked) {
      if (!isSteady(changes[service] ?? [], nowMs)) continue
      const truth = truthOf(world, service, nowMs)
      const kind = isDecidable(world, service, nowMs, servicesCount) ? 'decided' : 'undecided'
      const { status, summary } = product.answer(service)
      const known = arrivals.known(service, nowMs)
      const failed = isByChance(world, service) ? arrivals.failed(service, nowMs) : 0
      const isFair =
        status === 'down' && (isDownAtTimes(world, service) || failed === worldRegions.length)
      const wrong = isFair ? null : wrongOf(truth, status, known)
      tally.answers.add(kind, truth, status)
      if (wrong !== null) tally.wrongs.add(kind, wrong, { world, service, nowMs, said: summary })
      const checkTruth = checkTruthOf(world, service, nowMs)
      const check = product.check(service)
      tally.checks.add(kind, checkTruth, check.status)
      if (check.status === 'down' && checkTruth === 'comes_and_goes') {
        if (isDownAtTimes(world, service) || failed * 2 > worldRegions.length) continue
        if (checkMayBe(world, service, nowMs).includes('down')) continue
        const said = check.statusReason ?? ''
        tally.wrongs.add(kind, 'check down', { world, service, nowMs, said })
        continue
      }
      const isOff = checkTruth !== 'comes_and_goes' && checkTruth !== 'unknown'
      if (!isOff || checkTruth === check.status || truth === 'never_worked') continue
      if (checkMayBe(world, service, nowMs).includes(check.status)) continue
      const said = check.statusReason ?? ''
      tally.wrongs.add(kind, `check ${check.status}`, { world, service, nowMs, said })
    }
  }

  const time = (nowMs: number): void => {
    waiting = waiting.filter((one) => {
      if (nowMs < one.atMs) return true
      const isTold = product.answer(one.service).status === one.answer
      if (isTold) addDelay(tally, one.class, nowMs - one.atMs)
      else if (nowMs - one.atMs < steadyMs) return true
      else addDelay(tally, one.class, Number.POSITIVE_INFINITY)
      return false
    })
  }

  runMesh(world, product.drive, (nowMs, seen) => {
    if (seen !== null) arrivals.take(seen)
    if (waiting.length > 0) time(nowMs)
    if (seen !== null || nowMs < askAt) return
    askAt += askEveryMs
    ask(nowMs)
  })
  tally.worlds = 1
  return tally
}

/** Those that anything happens to, and a few others. */
const askedOf = ({ troubles }: World): number[] => {
  const concerned = new Set(
    troubles.flatMap((trouble) => ('services' in trouble ? trouble.services : [])),
  )
  const all = Array.from({ length: servicesCount }, (_, service) => service)
  const quiet = all.filter((service) => !concerned.has(service)).slice(0, quietOnes)
  return [...concerned, ...quiet]
}

/** Whether what comes and goes is wholly down while it is there. */
const isDownAtTimes = ({ troubles }: World, service: number): boolean =>
  troubles.some(
    (trouble) =>
      trouble.kind === 'flapping' &&
      trouble.services.includes(service) &&
      trouble.regions.length === worldRegions.length,
  )

/** Whether some requests fail and others do not: those of one moment may all fail, and nobody can tell then. */
const isByChance = ({ troubles }: World, service: number): boolean =>
  troubles.some(
    (trouble) =>
      trouble.kind === 'outage' && trouble.share < 1 && trouble.services.includes(service),
  )

const waitingOf = (world: World, changes: readonly (readonly number[])[]): Waiting[] => {
  // an agent that is not well, and a network that is not, have delays of their own
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
  const how =
    cause === 'timeout' ? 'time-out' : cause === 'answered' ? 'answered failure' : 'no connection'
  return `${how}, ${where}`
}
