import { foundBy, isUnsteady, lasts, silentCauses, worldRegions } from './world.ts'
import type { Found, Trouble, World } from './world.ts'

/** The true status of a service. */
export type Truth =
  | 'up'
  | 'down'
  | 'down_in_some_regions'
  | 'blocked'
  /** Some requests fail, or it fails and works in turn, too fast to be called down and up. */
  | 'comes_and_goes'
  /** The probed page never worked. */
  | 'never_worked'

export const truths: readonly Truth[] = [
  'up',
  'down',
  'down_in_some_regions',
  'blocked',
  'comes_and_goes',
  'never_worked',
]

const foundEverywhere = (world: World, service: number, atMs: number): Found[] =>
  worldRegions.map((region) => foundBy(world, service, region, atMs))

export const truthOf = (world: World, service: number, atMs: number): Truth =>
  truthIn(worldRegions, world, service, atMs)

/** The truth for these regions only. */
const truthIn = (regions: readonly string[], world: World, service: number, atMs: number): Truth => {
  const isNever = ({ kind, ...one }: Trouble): boolean =>
    kind === 'never' && 'services' in one && one.services.includes(service)
  if (world.troubles.some(isNever)) return 'never_worked'
  const found = new Set(regions.map((region) => foundBy(world, service, region, atMs)))
  const has = (one: Found): boolean => found.has(one)
  if (has('sometimes')) return 'comes_and_goes'
  if (has('fails')) return has('works') || has('refuses') ? 'down_in_some_regions' : 'down'
  return has('works') ? 'up' : 'blocked'
}

/** What an account's own check of it should say: a majority of those that are not refused, and two. */
export const checkTruthOf = (
  world: World,
  service: number,
  atMs: number,
): 'operational' | 'degraded' | 'down' | 'unknown' | 'comes_and_goes' => {
  const truth = truthOf(world, service, atMs)
  if (truth === 'comes_and_goes') return 'comes_and_goes'
  if (truth === 'never_worked') return 'down'
  const found = foundEverywhere(world, service, atMs)
  const voters = found.filter((one) => one !== 'refuses').length
  const failing = found.filter((one) => one === 'fails').length
  if (voters === 0) return 'degraded'
  if (failing >= Math.max(2, Math.floor(voters / 2) + 1)) return 'down'
  return failing > 0 ? 'degraded' : 'operational'
}

/** Regions that say nothing of services, or nothing that counts: their agents are dead, or their network fails. */
const silentRegions = ({ troubles }: World, atMs: number): Set<string> => {
  const silent = new Set<string>()
  for (const trouble of troubles) {
    // a region that returns is believed two clean minutes later
    if (!lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + 300_000 }, atMs)) continue
    if (trouble.kind === 'own') for (const region of trouble.regions) silent.add(region)
    if (trouble.kind === 'agents') silent.add(trouble.region)
  }
  return silent
}

/**
 * What the status of a check may be besides: by its rule a majority of the regions that measure decides, and
 * what came and went stays told for ten intervals.
 */
export const checkMayBe = (world: World, service: number, atMs: number): readonly string[] => {
  const allowed: string[] = []
  const silent = silentRegions(world, atMs)
  const seen = worldRegions.filter((region) => !silent.has(region))
  // what comes and goes may be a majority of those that measure while it is there
  const failing = worldRegions.filter((region) => {
    const found = foundBy(world, service, region, atMs)
    return found === 'fails' || found === 'sometimes'
  }).length
  if (silent.size > 0 && failing >= 2 && failing * 2 > seen.length) allowed.push('down')
  const cameAndWent = world.troubles.some(
    (trouble) =>
      isUnsteady(trouble) &&
      'services' in trouble &&
      trouble.services.includes(service) &&
      lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + 660_000 }, atMs),
  )
  if (cameAndWent || endedShortly(world, service, atMs)) allowed.push('degraded')
  return allowed
}

/** The end of a failure shorter than `shortMs` is doubted for `unbelievedMs`. */
const shortMs = 150_000
const unbelievedMs = 260_000

/** Whether a failure has just ended that was short, or of which a silent region saw only the end. */
const endedShortly = (world: World, service: number, atMs: number): boolean => {
  const changes = changesOf(world, service)
  const at = changes.findLastIndex((change) => change <= atMs)
  const [endedMs, beganMs = 0] = [changes[at], changes[at - 1]]
  if (endedMs === undefined || atMs - endedMs > unbelievedMs) return false
  return endedMs - beganMs < shortMs || silentRegions(world, endedMs).size > 0
}

/** Time that the mesh may need to measure a change everywhere, freshness included. */
const settleMs = 170_000

/** Instants at which the service changes for people. */
export const changesOf = (world: World, service: number): number[] => {
  const instants = new Set<number>()
  for (const trouble of world.troubles) {
    if (!('services' in trouble) || trouble.kind === 'own') continue
    if (!trouble.services.includes(service)) continue
    instants.add(trouble.fromMs)
    if (Number.isFinite(trouble.toMs)) instants.add(trouble.toMs)
    if (trouble.kind !== 'flapping' || isUnsteady(trouble)) continue
    const cycle = trouble.offMs + trouble.onMs
    for (let at = trouble.fromMs; at < trouble.toMs; at += cycle) {
      instants.add(at)
      if (at + trouble.offMs < trouble.toMs) instants.add(at + trouble.offMs)
    }
  }
  return [...instants].toSorted((a, b) => a - b)
}

/** Whether the truth has lasted long enough to be measured. */
export const isSteady = (changes: readonly number[], atMs: number): boolean =>
  changes.every((change) => atMs < change || atMs - change >= settleMs)

/** Share of a region's services from which on its own failure shows as one. */
export const shownShare = 0.4
/** The same from which on its region may lose its vote: what is silent anyway counts as well. */
const votelessShare = 0.2
/** For how long readings of an own failure stay fresh. */
const lingersMs = 90_000
/** A region that was quarantined is read again two clean minutes after a round without failures. */
const returnsMs = 300_000
/** Of what comes and goes, two regions may meet the same by chance, whatever the others meet. */
const unsteadySeenMin = 3

/** Silences that start within this time count as one. */
const atOnceMs = 150_000

/**
 * Whether it falls silent for a region at once with another service that has nothing to do with it: one network
 * of ours that loses both looks the same.
 */
const fallsSilentWithOthers = ({ troubles }: World, service: number): boolean => {
  const silences = troubles.filter((trouble) => 'cause' in trouble && silentCauses.includes(trouble.cause))
  const ours = silences.filter((one) => 'services' in one && one.services.includes(service))
  return ours.some((one) =>
    silences.some((other) => {
      if (other === one || !('regions' in one) || !('regions' in other)) return false
      if (!other.regions.some((region) => one.regions.includes(region))) return false
      const overlap = one.fromMs < other.toMs + atOnceMs && other.fromMs < one.toMs + atOnceMs
      const isAnew = overlap && (isUnsteady(one) || isUnsteady(other))
      return isAnew || Math.abs(one.fromMs - other.fromMs) <= atOnceMs
    }),
  )
}

/**
 * Whether what we can measure decides what is so of this service now. It does not where our own
 * network loses too few services to show, where it loses what fails there without an answer anyway,
 * where the only regions that could see a failure do not measure it, and where the regions that measure
 * find something else than all regions would.
 */
export const isDecidable = (world: World, service: number, atMs: number, services: number): boolean => {
  const failing = worldRegions.filter((region) => {
    const found = foundBy(world, service, region, atMs)
    return found === 'fails' || found === 'sometimes'
  })
  const isSilent = world.troubles.some(
    (trouble) =>
      'cause' in trouble &&
      trouble.kind !== 'own' &&
      trouble.services.includes(service) &&
      silentCauses.includes(trouble.cause),
  )
  const unseen = new Set<string>()
  const unread = new Set<string>()
  const ownFaults = new Set<string>()
  for (const trouble of world.troubles) {
    const lastsFor = (ms: number): boolean => lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + ms }, atMs)
    if (trouble.kind === 'own' && lastsFor(returnsMs)) {
      const isShown = trouble.services.length >= shownShare * services
      if (!isShown && lastsFor(lingersMs) && trouble.services.includes(service)) return false
      const mayLoseVote = trouble.services.length >= votelessShare * services
      for (const region of trouble.regions) {
        ownFaults.add(region)
        unseen.add(region)
        if (mayLoseVote) unread.add(region)
      }
    }
    if (trouble.kind !== 'agents' || !lastsFor(lingersMs)) continue
    if (trouble.how === 'dead') unread.add(trouble.region)
    if (trouble.how === 'dead' || (trouble.how === 'stalled' && isSilent)) unseen.add(trouble.region)
  }
  // one region that works is no majority of four
  if (ownFaults.size > 2) return false
  const truth = truthOf(world, service, atMs)
  const read = worldRegions.filter((region) => !unread.has(region))
  if (truthIn(read, world, service, atMs) !== truth) return false
  if (truth === 'comes_and_goes' && read.length < unsteadySeenMin) return false
  if (failing.length === 0) return true
  const isEverywhere = failing.length === worldRegions.length
  if (isSilent && !isEverywhere && fallsSilentWithOthers(world, service)) return false
  return isEverywhere
    ? worldRegions.filter((region) => !unseen.has(region)).length >= 2
    : failing.every((region) => !unseen.has(region))
}
