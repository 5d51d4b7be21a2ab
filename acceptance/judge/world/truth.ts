import { foundBy, isUnsteady, lasts, silentCauses, worldRegions } from './world.ts'
import type { Found, Trouble, World } from './world.ts'

/** What is so of a service, for people everywhere. */
export type Truth =
  | 'up'
  | 'down'
  | 'down_in_some_regions'
  | 'blocked'
  /** Some requests fail, or it fails and works in turn, too fast to be called down and up. */
  | 'comes_and_goes'
  /** What we ask of it never worked, whatever it does for people. */
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

export const truthOf = (world: World, service: number, atMs: number): Truth => {
  const isNever = ({ kind, ...one }: Trouble): boolean =>
    kind === 'never' && 'services' in one && one.services.includes(service)
  if (world.troubles.some(isNever)) return 'never_worked'
  const found = foundEverywhere(world, service, atMs)
  const has = (one: Found): boolean => found.includes(one)
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
  const failing = worldRegions.filter(
    (region) => foundBy(world, service, region, atMs) === 'fails',
  ).length
  if (silent.size > 0 && failing >= 2 && failing * 2 > seen.length) allowed.push('down')
  const cameAndWent = world.troubles.some(
    (trouble) =>
      isUnsteady(trouble) &&
      'services' in trouble &&
      trouble.services.includes(service) &&
      lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + 660_000 }, atMs),
  )
  if (cameAndWent) allowed.push('degraded')
  return allowed
}

/** How long after a change the mesh may need to have measured it everywhere, freshness included. */
const settleMs = 170_000

/** Instants at which something of this service changes for people. */
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

/** Whether what is so has been so long enough to be known. */
export const isSteady = (changes: readonly number[], atMs: number): boolean =>
  changes.every((change) => atMs < change || atMs - change >= settleMs)

/** Share of a region's services from which on its own failure shows as one. */
export const shownShare = 0.4
/** For how long what was measured in an own failure lingers. */
const lingersMs = 90_000

/**
 * Whether what we can measure decides what is so of this service now. It does not where our own
 * network loses too few services to show, where it loses what fails there without an answer anyway, and
 * where the only regions that could see a failure do not measure it.
 */
export const isDecidable = (
  world: World,
  service: number,
  atMs: number,
  services: number,
): boolean => {
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
  for (const trouble of world.troubles) {
    if (!lasts({ fromMs: trouble.fromMs, toMs: trouble.toMs + lingersMs }, atMs)) continue
    if (trouble.kind === 'own') {
      const isShown = trouble.services.length >= shownShare * services
      if (!isShown && trouble.services.includes(service)) return false
      for (const region of trouble.regions) unseen.add(region)
    }
    if (trouble.kind !== 'agents') continue
    if (trouble.how === 'dead' || (trouble.how === 'stalled' && isSilent))
      unseen.add(trouble.region)
  }
  if (failing.length === 0) return true
  return failing.length === worldRegions.length
    ? worldRegions.filter((region) => !unseen.has(region)).length >= 2
    : failing.every((region) => !unseen.has(region))
}
