import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/schema/ids'
import {
  QuarantinedRegions,
  quarantineTellMs,
  quarantineToldMs,
} from '@probe-mesh/contracts/mesh/events'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** Control planes whose word is remembered; beyond, the one heard of longest ago is forgotten. */
const tellersMax = 100
/** One that missed a time to say what it holds is silent, ms. */
const heardMs = 2 * quarantineTellMs

export type QuarantineBoard = {
  /** Whether any control plane that is heard of holds the region for quarantined, and it may be. */
  isQuarantined(region: Region): boolean
  /** Whether another control plane said so lately: before it is believed no more, its silence shows. */
  isToldByOthers(region: Region): boolean
  /** All of them, in order: never a majority of the live regions. */
  regions(): Region[]
  /** Since when silence in the region is doubted, because a burst of it is seen there; null where none is. */
  burstSinceMs(region: Region): number | null
  /** What this control plane has quarantined, and the bursts it sees: known here at once, and told to the others. */
  tell(doubted: readonly Doubted[], bursts?: readonly Doubted[]): void
  close(): Promise<void>
}

/**
 * The regions that are quarantined, for everybody who counts or shows votes: each control plane
 * judges a sample of the checks, and a region's network is broken for all of them. Others are
 * believed for `quarantineToldMs` after they said so.
 * @param capabilities.liveRegions how many regions there are: at most half of them lose their votes
 */
export const openQuarantineBoard = async (capabilities: {
  events: Events
  liveRegions: number
  now: () => number
}): Promise<QuarantineBoard> => {
  const { events, liveRegions, now } = capabilities
  const self = uuidv7(now())
  const told = new Map<
    string,
    { atMs: number; doubted: readonly Doubted[]; bursts: readonly Doubted[] }
  >()
  let own: readonly Doubted[] = []
  let ownBursts: readonly Doubted[] = []
  /** What was worked out last, until when it holds: every answer asks. */
  let known: {
    regions: readonly Region[]
    set: ReadonlySet<Region>
    bursts: ReadonlyMap<Region, number>
    untilMs: number
  } | null = null

  const subscription = await events.subscribe('quarantined_regions', (payload) => {
    const { data } = QuarantinedRegions.safeParse(payload)
    if (data === undefined || data.teller === self) return
    known = null
    told.delete(data.teller)
    const doubted = data.regions.map((region, n) => ({ region, sinceMs: data.sinceMs?.[n] ?? 0 }))
    const bursts = data.bursts ?? []
    told.set(data.teller, { atMs: now(), doubted, bursts })
    const oldest = told.keys().next().value
    if (told.size > tellersMax && oldest !== undefined) told.delete(oldest)
  })
  const workOut = (): NonNullable<typeof known> => {
    const nowMs = now()
    if (known !== null && nowMs <= known.untilMs) return known
    const believed = [...told.values()].filter(({ atMs }) => nowMs - atMs <= quarantineToldMs)
    const doubted = [...own, ...believed.flatMap((one) => one.doubted)]
    const regions = withoutVotes(doubted, liveRegions)
    const untilMs = Math.min(...believed.map(({ atMs }) => atMs + quarantineToldMs))
    const bursts = new Map<Region, number>()
    for (const { region, sinceMs } of [...ownBursts, ...believed.flatMap((one) => one.bursts)]) {
      bursts.set(region, Math.min(bursts.get(region) ?? sinceMs, sinceMs))
    }
    known = { regions, set: new Set(regions), bursts, untilMs }
    return known
  }

  return {
    isQuarantined: (region) => workOut().set.has(region),
    isToldByOthers: (region) =>
      [...told.values()].some(
        ({ atMs, doubted }) =>
          now() - atMs <= heardMs && doubted.some((one) => one.region === region),
      ),
    regions: () => [...workOut().regions],
    burstSinceMs: (region) => workOut().bursts.get(region) ?? null,
    tell: (doubted, bursts = []) => {
      own = [...doubted]
      ownBursts = [...bursts]
      known = null
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

/** A region that a control plane holds for broken, and since when, Unix ms. */
type Doubted = { region: Region; sinceMs: number }

/** Never a majority: at most so many of the live regions lose their votes at once. */
const quarantinedMax = (liveRegions: number): number => Math.floor(liveRegions / 2)

/**
 * Of the regions that are held for broken, those that lose their votes: the first that were, as many as
 * may. Every control plane that knows the same chooses the same. When more fail, what they measure is
 * believed again: nobody would be left to tell a broken mesh from broken targets (S-1005).
 */
export const withoutVotes = (doubted: Iterable<Doubted>, liveRegions: number): Region[] => {
  const since = new Map<Region, number>()
  for (const { region, sinceMs } of doubted) {
    since.set(region, Math.min(since.get(region) ?? sinceMs, sinceMs))
  }
  return [...since]
    .toSorted(([a, aMs], [b, bMs]) => aMs - bMs || (a < b ? -1 : 1))
    .slice(0, quarantinedMax(liveRegions))
    .map(([region]) => region)
    .toSorted()
}
