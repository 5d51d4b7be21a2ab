import {
  foundBy,
  isUnsteady,
  lasts,
  silentCauses,
  worldRegions,
  type Found,
  type Trouble,
  type World,
} from './world.ts'

/** The true status of a service. */
export type Truth =
  | 'up'
  | 'down'
  | 'down_in_some_regions'
  | 'blocked'
  /** Some requests fail, or it alternates too fast to count as down and up. */
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

/**
 * The expected status of an account's check: by the majority of regions that are not refused, at least two.
 */
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

/** Regions without valid readings: their agents are dead, or their network fails. */
const silentRegions = ({ troubles }: World, atMs: number): Set<string> => {
  const silent = new Set<string>()
  for (const trouble of troubles) {
    // a returning region counts after two clean minutes
    if (!lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + 300_000 }, atMs)) continue
    if (trouble.kind === 'own') for (const region of trouble.regions) silent.add(region)
    if (trouble.kind === 'agents') silent.add(trouble.region)
  }
  return silent
}

/**
 * Other permitted statuses of a check: a majority of the measuring regions decides, and an intermittent
 * failure stays reported for ten intervals.
 */
export const checkMayBe = (world: World, service: number, atMs: number): readonly string[] => {
  const allowed: string[] = []
  const silent = silentRegions(world, atMs)
  const seen = worldRegions.filter((region) => !silent.has(region))
  // an intermittent failure may be a majority of the measuring regions while it lasts
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

/** Whether a failure has just ended that was short or partly invisible because of a silent region. */
const endedShortly = (world: World, service: number, atMs: number): boolean => {
  const changes = changesOf(world, service)
  const at = changes.findLastIndex((change) => change <= atMs)
  const [endedMs, beganMs = 0] = [changes[at], changes[at - 1]]
  if (endedMs === undefined || atMs - endedMs > unbelievedMs) return false
  return endedMs - beganMs < shortMs || silentRegions(world, endedMs).size > 0
}

/** The time that the mesh may need to measure a change everywhere, including freshness. */
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

/** The share of a region's services from which its own failure is recognised. */
const shownShare = 0.4
/** The share from which a region may lose its vote, including services that are silent anyway. */
const votelessShare = 0.2
/** For how long readings of an own failure stay fresh. */
const lingersMs = 90_000
/** A quarantined region counts again two clean minutes after a round without failures. */
const returnsMs = 300_000
/** Regions that must see an intermittent failure, because two may see it by chance. */
const unsteadySeenMin = 3

/** Silences that start within this time count as one. */
const atOnceMs = 150_000

/**
 * Whether it falls silent in a region together with an unrelated service, which looks like a fault of our
 * network.
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
 * Whether the measurements determine the truth of this service now. They do not if our own network loses too
 * few services to be recognised, or only services that are silent anyway, if the regions that could see a
 * failure do not measure, or if the measuring regions see another result than all regions would.
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
  // one working region is no majority of four
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
