import type { Events } from '@probe-mesh/bus/port'
import { uuidv7 } from '@probe-mesh/contracts/ids'
import {
  QuarantinedRegions,
  quarantineTellMs,
  quarantineToldMs,
} from '@probe-mesh/contracts/events'
import type { Region } from '@probe-mesh/contracts/regions'

/** Control planes whose word is remembered; beyond, the one heard of longest ago is forgotten. */
const tellersMax = 100
/** One that missed a time to say what it holds is silent, ms. */
const heardMs = 2 * quarantineTellMs

export type QuarantineBoard = {
  /** Whether any control plane that is heard of holds the region for quarantined. */
  isQuarantined(region: Region): boolean
  /** Whether another control plane said so lately: before it is believed no more, its silence shows. */
  isToldByOthers(region: Region): boolean
  /** All of them, in order. */
  regions(): Region[]
  /** What this control plane has quarantined: known here at once, and told to the others. */
  tell(regions: readonly Region[]): void
  close(): Promise<void>
}

/**
 * The regions that are quarantined, for everybody who counts or shows votes: each control plane
 * judges a sample of the checks, and a region's network is broken for all of them. Others are
 * believed for `quarantineToldMs` after they said so.
 */
export const openQuarantineBoard = async (capabilities: {
  events: Events
  now: () => number
}): Promise<QuarantineBoard> => {
  const { events, now } = capabilities
  const self = uuidv7(now())
  const told = new Map<string, { atMs: number; regions: ReadonlySet<Region> }>()
  let own: ReadonlySet<Region> = new Set()

  const subscription = await events.subscribe('quarantined_regions', (payload) => {
    const { data } = QuarantinedRegions.safeParse(payload)
    if (data === undefined || data.teller === self) return
    told.delete(data.teller)
    told.set(data.teller, { atMs: now(), regions: new Set(data.regions) })
    const oldest = told.keys().next().value
    if (told.size > tellersMax && oldest !== undefined) told.delete(oldest)
  })
  const isToldWithin = (region: Region, ageMsMax: number): boolean =>
    [...told.values()].some(({ atMs, regions }) => now() - atMs <= ageMsMax && regions.has(region))
  const isQuarantined = (region: Region): boolean =>
    own.has(region) || isToldWithin(region, quarantineToldMs)

  return {
    isQuarantined,
    isToldByOthers: (region) => isToldWithin(region, heardMs),
    regions: () => {
      const known = new Set([...own, ...[...told.values()].flatMap(({ regions }) => [...regions])])
      return [...known].filter(isQuarantined).toSorted()
    },
    tell: (regions) => {
      own = new Set(regions)
      events.publish('quarantined_regions', { teller: self, regions: [...own] })
    },
    close: () => subscription.close(),
  }
}
