import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  QuarantinedRegions,
  quarantineBroadcastMs,
  quarantineValidMs,
} from '@probe-mesh/contracts/mesh/events'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** Control planes in memory; beyond, the one that has been silent longest is forgotten. */
const sendersMax = 100
/** A control plane that missed a broadcast counts as silent, ms. */
const heardMs = 2 * quarantineBroadcastMs

export type QuarantineBoard = {
  /** Whether any reporting control plane has quarantined the region, and the majority rule allows it. */
  isQuarantined(region: Region): boolean
  /** Whether another control plane reported it recently: its silence shows before its report expires. */
  isReportedByOthers(region: Region): boolean
  /** All quarantined regions, in order: never a majority of the live regions. */
  regions(): Region[]
  /** The start of a burst since which missing answers of the region are not trusted; null without one. */
  burstSinceMs(region: Region): number | null
  /**
   * Publishes the quarantines and bursts of this control plane: they apply here at once, and are sent to the
   * others.
   */
  publish(doubted: readonly Doubted[], bursts?: readonly Doubted[]): void
  close(): Promise<void>
}

/**
 * The quarantined regions, for all code that counts or shows votes. Each control plane evaluates a sample of
 * the checks, and a broken network affects all checks of its region. Reports of others are valid for
 * `quarantineValidMs`.
 * @param capabilities.liveRegions the number of live regions: at most half of them lose their votes
 */
export const openQuarantineBoard = async (capabilities: {
  events: Pick<Events, 'publish' | 'subscribe'>
  liveRegions: number
  now: () => number
}): Promise<QuarantineBoard> => {
  const { events, liveRegions, now } = capabilities
  const self = uuidv7(now())
  const reports = new Map<string, { atMs: number; doubted: readonly Doubted[]; bursts: readonly Doubted[] }>()
  let own: readonly Doubted[] = []
  let ownBursts: readonly Doubted[] = []
  /** The last result and until when it is valid: every answer needs it. */
  let cached: {
    regions: readonly Region[]
    set: ReadonlySet<Region>
    bursts: ReadonlyMap<Region, number>
    untilMs: number
  } | null = null

  const subscription = await events.subscribe('quarantined_regions', (payload) => {
    const { data } = QuarantinedRegions.safeParse(payload)
    if (data === undefined || data.teller === self) return
    cached = null
    reports.delete(data.teller)
    const doubted = data.regions.map((region, n) => ({ region, sinceMs: data.sinceMs?.[n] ?? 0 }))
    const bursts = data.bursts ?? []
    reports.set(data.teller, { atMs: now(), doubted, bursts })
    const oldest = reports.keys().next().value
    if (reports.size > sendersMax && oldest !== undefined) reports.delete(oldest)
  })
  const current = (): NonNullable<typeof cached> => {
    const nowMs = now()
    if (cached !== null && nowMs <= cached.untilMs) return cached
    const valid = [...reports.values()].filter(({ atMs }) => nowMs - atMs <= quarantineValidMs)
    const doubted = [...own, ...valid.flatMap((one) => one.doubted)]
    const regions = withoutVotes(doubted, liveRegions)
    const untilMs = Math.min(...valid.map(({ atMs }) => atMs + quarantineValidMs))
    const bursts = earliestSince([...ownBursts, ...valid.flatMap((one) => one.bursts)])
    cached = { regions, set: new Set(regions), bursts, untilMs }
    return cached
  }

  return {
    isQuarantined: (region) => current().set.has(region),
    isReportedByOthers: (region) =>
      [...reports.values()].some(
        ({ atMs, doubted }) => now() - atMs <= heardMs && doubted.some((one) => one.region === region),
      ),
    regions: () => [...current().regions],
    burstSinceMs: (region) => current().bursts.get(region) ?? null,
    publish: (doubted, bursts = []) => {
      own = [...doubted]
      ownBursts = [...bursts]
      cached = null
      events.publish('quarantined_regions', {
        teller: self,
        regions: own.map(({ region }) => region),
        sinceMs: own.map(({ sinceMs }) => sinceMs),
        ...(ownBursts.length > 0 && { bursts: ownBursts }),
      })
    },
    close: () => subscription.close(),
  }
}

/** A region that a control plane considers broken, and since when, Unix ms. */
type Doubted = { region: Region; sinceMs: number }

/** Since when each region is doubted: of several reports the first counts. */
export const earliestSince = (doubted: Iterable<Doubted>): Map<Region, number> => {
  const since = new Map<Region, number>()
  for (const { region, sinceMs } of doubted) {
    since.set(region, Math.min(since.get(region) ?? sinceMs, sinceMs))
  }
  return since
}

/** Never a majority: at most this many live regions lose their votes at once. */
const quarantinedMax = (liveRegions: number): number => Math.floor(liveRegions / 2)

/**
 * The regions that lose their votes, among those considered broken: the first ones, up to half of the live
 * regions. The others keep theirs, since without a majority of votes a broken mesh could not be distinguished
 * from broken targets (S-1005).
 */
export const withoutVotes = (doubted: Iterable<Doubted>, liveRegions: number): Region[] => {
  return [...earliestSince(doubted)]
    .toSorted(([a, aMs], [b, bMs]) => aMs - bMs || (a < b ? -1 : 1))
    .slice(0, quarantinedMax(liveRegions))
    .map(([region]) => region)
    .toSorted()
}
