import type { Region } from '@probe-mesh/contracts/reading/regions'
import { roundMsOf, staleAfterMs } from '../freshness.ts'
import type { Failure, HeldReading, HeldReadings } from './held-readings.ts'
import { tallyOf, type ComparedHost, type Owner, type Tally } from './tally.ts'

/** Hosts listed as examples of a failure. */
const examplesMax = 10

/** A host with the readings of one owner's checks of it. */
export type WatchedHost = {
  host: string
  owner: Owner
  /** The registrable domain, or the address if the host is one. */
  site: string
  checks: readonly { intervalSeconds: number; held: HeldReadings }[]
}

/** A region compared with the others. */
export type Survey = {
  catalog: Tally
  accounts: Tally
  /** Hosts for which an agent reported that its canaries failed too. */
  offline: number
  /** The hosts that fail only here, the catalog's first, then by name. */
  failing: readonly ComparedHost[]
}

const nothingTallied: Tally = { hosts: 0, failing: 0, sources: 0, sourcesFailing: 0 }
export const nothingSurveyed: Survey = {
  catalog: nothingTallied,
  accounts: nothingTallied,
  offline: 0,
  failing: [],
}

/** A host as one region sees it. */
type HostThere = {
  /** Any of its checks reached it. */
  well: boolean
  /** Since when a check of it fails here, and in no more regions than reach it; null if none does. */
  aloneSinceMs: number | null
  run?: { sinceMs: number; roundMs: number }
}

/** The counts of a region so far. */
type Counted = { compared: ComparedHost[]; offline: number }

/**
 * Counts, per region, the hosts that do not answer it while others reach them. Many checks of one host count
 * as one host, which is well if any check reaches it. A host fails in a region if a check fails there that
 * another region contradicts, and if at least as many regions reach the host as do not: a host that most
 * regions cannot reach is at fault itself, and two regions may fail at once, with the same hosts. Only fresh
 * readings count; checks in a single region are no evidence.
 */
export const surveyRegions = (hosts: Iterable<WatchedHost>, nowMs: number): Map<Region, Survey> => {
  const regions = new Map<Region, Counted>()
  const countedIn = (region: Region): Counted => {
    const counted = regions.get(region) ?? { compared: [], offline: 0 }
    regions.set(region, counted)
    return counted
  }
  for (const { host, owner, site, checks } of hosts) {
    for (const region of offlineRegions(checks, nowMs)) countedIn(region).offline++
    const views = viewHost(checks, nowMs)
    let regionsFailing = 0
    for (const { well } of views.values()) if (!well) regionsFailing++
    const isMinority = regionsFailing * 2 <= views.size
    for (const [region, { well, aloneSinceMs, run }] of views) {
      const failingSinceMs = well || !isMinority ? null : aloneSinceMs
      const network = networkIn(checks, region)
      const compared = { host, owner, site, network, failingSinceMs }
      const isRun = failingSinceMs !== null && run !== undefined
      countedIn(region).compared.push(isRun ? { ...compared, run } : compared)
    }
  }
  return new Map([...regions].map(([region, counted]) => [region, surveyOf(counted)]))
}

const surveyOf = ({ compared, offline }: Counted): Survey => ({
  catalog: tallyOf(compared.filter(isCatalog)),
  accounts: tallyOf(compared.filter((one) => !isCatalog(one))),
  offline,
  failing: compared.filter(isFailing).toSorted(inOrder),
})

const isFailing = ({ failingSinceMs }: ComparedHost): boolean => failingSinceMs !== null
const isCatalog = ({ owner }: ComparedHost): boolean => owner.kind === 'catalog'
const orderOf = ({ owner, host }: ComparedHost): string =>
  owner.kind === 'catalog' ? `0 ${host}` : `1 ${host} ${owner.accountId}`
const inOrder = (a: ComparedHost, b: ComparedHost): number => (orderOf(a) < orderOf(b) ? -1 : 1)

/** Some hosts that fail only in this region. */
export const examplesOf = ({ failing }: Survey): string[] => [
  ...new Set(failing.slice(0, examplesMax).map(({ host }) => host)),
]

/** When the first host failed here, at most two of its intervals ago; null if none does. */
export const sinceMsOf = ({ failing }: Survey): number | null => {
  const chosen = failing.filter(isCatalog)
  const since = (chosen.length > 0 ? chosen : failing).flatMap(({ failingSinceMs }) => failingSinceMs ?? [])
  return since.length === 0 ? null : since.reduce((a, b) => Math.min(a, b))
}

/** From the readings of the region, or of the first region that connected if it never did. */
const networkIn = (checks: WatchedHost['checks'], region: Region): string | null => {
  let elsewhere: string | null = null
  for (const { held } of checks) {
    const own = held.get(region)?.network ?? null
    if (own !== null) return own
    for (const { network } of held.values()) {
      if (network !== null && (elsewhere === null || network < elsewhere)) elsewhere = network
    }
  }
  return elsewhere
}

const offlineRegions = (checks: WatchedHost['checks'], nowMs: number): Set<Region> => {
  const regions = new Set<Region>()
  for (const { intervalSeconds, held } of checks) {
    const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
    for (const [region, { says, measuredAt }] of held) {
      if (says === 'offline' && measuredAt >= freshFromMs) regions.add(region)
    }
  }
  return regions
}

/** The regions that measured a check of the host that another region measured too. */
const viewHost = (checks: WatchedHost['checks'], nowMs: number): Map<Region, HostThere> => {
  const views = new Map<Region, HostThere>()
  for (const { intervalSeconds, held } of checks) {
    const freshFromMs = nowMs - staleAfterMs(intervalSeconds)
    const { heard, failing } = countHeard(held, freshFromMs)
    if (heard < 2) continue
    for (const [region, reading] of held) {
      if (!isHeard(reading, freshFromMs)) continue
      const there = views.get(region) ?? { well: false, aloneSinceMs: null }
      views.set(region, there)
      if (reading.says !== 'fails') there.well = true
      else if (failing * 2 <= heard && isContradicted(reading, freshFromMs)) {
        const sinceMs = Math.max(reading.failingSince, freshFromMs)
        there.aloneSinceMs = Math.min(there.aloneSinceMs ?? sinceMs, sinceMs)
        const roundMs = roundMsOf(intervalSeconds)
        if (!beganAlone(reading, roundMs)) continue
        const began = Math.min(there.run?.sinceMs ?? reading.failingSince, reading.failingSince)
        there.run = { sinceMs: began, roundMs }
      }
    }
  }
  return views
}

const countHeard = (held: HeldReadings, freshFromMs: number): { heard: number; failing: number } => {
  const counted = { heard: 0, failing: 0 }
  for (const reading of held.values()) {
    if (!isHeard(reading, freshFromMs)) continue
    counted.heard++
    if (reading.says === 'fails') counted.failing++
  }
  return counted
}

const isContradicted = ({ contradictedAt }: Failure, freshFromMs: number): boolean =>
  contradictedAt !== null && contradictedAt >= freshFromMs

/**
 * If other regions reached it only later, it failed there too, and this region is the last to see the end.
 */
const beganAlone = ({ failingSince, contradictedFrom }: Failure, roundMs: number): boolean =>
  contradictedFrom !== null && contradictedFrom - failingSince <= roundMs

const isHeard = ({ says, measuredAt }: HeldReading, freshFromMs: number): boolean =>
  (says === 'fails' || says === 'answered' || says === 'well') && measuredAt >= freshFromMs
