import { regionsReadMax, type Evidence, type RegionalReading } from '@probe-mesh/contracts/outage/answers'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** A reading that measured its target. `unmeasured` readings are never stored here. */
export type ProbeReading = {
  verdict: 'up' | 'down' | 'blocked'
  reason: string | null
  latencyMs: number | null
  /** Unix milliseconds. */
  measuredAt: number
  /** The index of the service's probe, from 0; absent: the first. */
  probe?: number
  /** Whether it failed without an answer; absent: false. */
  unanswered?: boolean
  /** When the first failure in a row was measured; absent if unknown. */
  failingSinceMs?: number
  /** When the confirmation round was requested; absent for scheduled readings. */
  roundAtMs?: number
  /** The stable code of why it is not up; absent if unknown. */
  cause?: string
  /** The CDN that marked the answer; absent without a mark. */
  mark?: string
}

/**
 * A reading that decides nothing: the probe has never worked there (`unproven`), failed once and is being
 * retried (`unconfirmed`), or could not measure (`unmeasured`).
 */
export type InconclusiveReading = {
  why: 'unproven' | 'unconfirmed' | 'unmeasured'
  reason: string | null
  /** Unix milliseconds. */
  measuredAt: number
}

/** The newest reading of each probe of a service in one region. */
export type RegionReadings = {
  region: Region
  /** In the catalog's order. */
  readings: readonly ProbeReading[]
  /** Whether the region's own network failed, so that its readings do not count. */
  quarantined: boolean
  /** The newest inconclusive readings, at most one per probe. */
  inconclusive?: readonly InconclusiveReading[]
  /** Whether many unrelated services are silent too, so that our own network may have failed. */
  ownNetworkSuspected?: boolean
  /** Whether the page differs from what the catalog expects, so that nothing was measured. */
  changed?: boolean
  /**
   * Until when missing answers may be our own network's fault, Unix milliseconds; absent: no check is
   * running.
   */
  checkingNetworkUntilMs?: number
}

/** The time of an answer, how long readings stay fresh, and whether all regions are one machine. */
export type ReadOptions = {
  nowMs: number
  staleAfterMs: number
  vantage: Evidence['vantage']
}

/** The state of one region of a service at an instant. */
export type RegionView = {
  region: Region
  /** The reading that decides the region's status; null without readings. */
  reading: ProbeReading | null
  status: RegionStatusName
  fresh: boolean
  quarantined: boolean
  /** A recent inconclusive reading; null if another reading decides, or there is none. */
  inconclusive: InconclusiveReading | null
  ownNetworkSuspected: boolean
  changed: boolean
  /** Whether the service does not answer here and we are checking our own network. */
  checkingNetwork: boolean
  /** The probes with a fresh good reading. */
  goodProbes: readonly number[]
}

/**
 * The regions at `nowMs`, sorted by code, limited to the ten freshest. A failing probe decides the status of
 * its region; otherwise a working one, otherwise a refused one.
 */
export const viewRegions = (regions: readonly RegionReadings[], options: ReadOptions): RegionView[] => {
  const views = regions.map((region) => viewRegion(region, options))
  const read = views.length > regionsReadMax ? freshestOf(views) : views
  return read.toSorted(byCode)
}

const freshestOf = (views: readonly RegionView[]): RegionView[] =>
  views.toSorted((a, b) => measuredAtOf(b) - measuredAtOf(a) || byCode(a, b)).slice(0, regionsReadMax)

const viewRegion = (one: RegionReadings, { nowMs, staleAfterMs }: ReadOptions): RegionView => {
  const {
    region,
    readings,
    quarantined,
    inconclusive = [],
    ownNetworkSuspected = false,
    changed = false,
  } = one
  const isFresh = ({ measuredAt }: { measuredAt: number }): boolean => nowMs - measuredAt <= staleAfterMs
  const fresh = readings.filter(isFresh)
  const deciding = decidingReading(fresh)
  const goodProbes = fresh.flatMap(({ verdict, probe = 0 }) => (verdict === 'up' ? [probe] : []))
  const isOwnNetwork = ownNetworkSuspected && deciding?.verdict === 'down'
  const checkingNetwork = deciding?.verdict === 'down' && nowMs < (one.checkingNetworkUntilMs ?? nowMs)
  const known = {
    region,
    quarantined,
    inconclusive: null,
    ownNetworkSuspected: isOwnNetwork,
    changed,
    checkingNetwork,
    goodProbes,
  }
  if (quarantined || checkingNetwork || isOwnNetwork) {
    return { ...known, reading: deciding ?? newestOf(readings), status: 'unknown', fresh: false }
  }
  if (deciding !== null) return { ...known, reading: deciding, status: deciding.verdict, fresh: true }
  const reading = newestOf(readings)
  const status = reading === null ? 'unknown' : 'stale'
  return {
    ...known,
    inconclusive: mainInconclusive(inconclusive.filter(isFresh)),
    reading,
    status,
    fresh: false,
  }
}

/** A failure takes precedence over a reading without a measurement. */
const mainInconclusive = (inconclusive: readonly InconclusiveReading[]): InconclusiveReading | null =>
  inconclusive.find(({ why }) => why !== 'unmeasured') ?? inconclusive[0] ?? null

const decidingReading = (readings: readonly ProbeReading[]): ProbeReading | null =>
  readings.find(({ verdict }) => verdict === 'down') ??
  readings.find(({ verdict }) => verdict === 'up') ??
  readings.find(({ verdict }) => verdict === 'blocked') ??
  null

const newestOf = (readings: readonly ProbeReading[]): ProbeReading | null =>
  readings.toSorted((a, b) => b.measuredAt - a.measuredAt)[0] ?? null

const measuredAtOf = (view: RegionView): number => view.reading?.measuredAt ?? 0

const byCode = (a: RegionView, b: RegionView): number => (a.region < b.region ? -1 : 1)

/** A region as answers show it. Stale and quarantined readings are marked as such. */
export const describeRegion = (view: RegionView): RegionalReading => ({
  region: view.region,
  status: view.status,
  reason: reasonOf(view),
  latencyMs: view.reading?.latencyMs ?? null,
  measuredAt: measuredAtText(view),
  fresh: view.fresh,
})

/** An `unmeasured` reading has no time of measurement. */
const measuredAtText = ({ inconclusive, reading }: RegionView): string | null => {
  const at = inconclusive === null || inconclusive.why === 'unmeasured' ? reading : inconclusive
  return at === null ? null : new Date(at.measuredAt).toISOString()
}

const reasonOf = (view: RegionView): string | null => {
  const { quarantined, inconclusive, ownNetworkSuspected, changed, checkingNetwork, status, reading } = view
  if (quarantined) return 'the region is quarantined: its own network failed'
  if (ownNetworkSuspected)
    return `${reading?.reason ?? 'no answer'}: the network of this machine may be at fault`
  if (checkingNetwork) return 'no answer; we are checking whether our own network is at fault'
  if (changed && !view.fresh) return 'the measured page changed'
  if (inconclusive?.why === 'unproven')
    return `fails and has never worked from here: ${inconclusive.reason ?? 'no reason is known'}`
  if (inconclusive?.why === 'unconfirmed')
    return `failed and is being retried: ${inconclusive.reason ?? 'no reason is known'}`
  if (inconclusive !== null) return `not measured: ${inconclusive.reason ?? 'no reason is known'}`
  if (status === 'unknown') return 'no reading yet'
  return status === 'stale' ? 'no recent reading' : (reading?.reason ?? null)
}
