import type { Evidence, RegionalReading } from '@probe-mesh/contracts/outage/answers'
import { regionsReadMax } from '@probe-mesh/contracts/outage/answers'
import type { RegionStatusName } from '@probe-mesh/contracts/check/check'
import type { Region } from '@probe-mesh/contracts/reading/regions'

/** A reading that says something of its target: what is `unmeasured` is never held. */
export type ProbeReading = {
  verdict: 'up' | 'down' | 'blocked'
  reason: string | null
  latencyMs: number | null
  /** Unix milliseconds. */
  measuredAt: number
  /** Which of the service's probes, from 0; the first where it is not said. */
  probe?: number
  /** It failed without an answer; absent is no. */
  unanswered?: boolean
  /** Of a failure, when the first in a row was measured; absent where that is not known. */
  failingSinceMs?: number
  /** When the round was asked that it answers; absent of a slot. */
  roundAtMs?: number
  /** Why it is not up, as a stable word; absent where that is not known. */
  cause?: string
  /** The CDN whose mark the answer bore; absent where it bore none. */
  mark?: string
}

/**
 * A reading that decides nothing: of a probe that fails and was never seen to work there, that failed
 * once and is being asked again, or that could measure nothing.
 */
export type UndecidedReading = {
  why: 'unproven' | 'suspect' | 'unmeasured'
  reason: string | null
  /** Unix milliseconds. */
  measuredAt: number
}

/**
 * What is held of one region of a service: the newest reading of each of its probes that has one.
 */
export type HeldRegion = {
  region: Region
  /** In the catalog's order. */
  readings: readonly ProbeReading[]
  /** The region fails everything: what it measured is no data until it returns. */
  quarantined: boolean
  /** The newest readings that decide nothing, one for each probe that has one. */
  undecided?: readonly UndecidedReading[]
  /** It gives no answer, like many that have nothing to do with it: that may be our own network. */
  doubted?: boolean
  /** A probe finds another page here than the catalog expects: nothing was measured. */
  changed?: boolean
  /** Until when the silence of the service here is weighed against our own network; Unix ms, absent: it is not. */
  weighedUntilMs?: number
}

/**
 * How readings are read: when, how long one stays fresh, and whether the regions are one machine.
 */
export type ReadAt = {
  nowMs: number
  staleAfterMs: number
  vantage: Evidence['vantage']
}

/** One region of a service as it counts at an instant. */
export type RegionView = {
  region: Region
  /** The reading that speaks for the region; null where none is held. */
  reading: ProbeReading | null
  status: RegionStatusName
  fresh: boolean
  quarantined: boolean
  /** What was read lately and decides nothing; null where something decides, or nothing was read. */
  undecided: UndecidedReading | null
  doubted: boolean
  changed: boolean
  /** The service does not answer here, and that may be our own network's doing. */
  weighed: boolean
  /** The probes of which a fresh good reading is held. */
  goodProbes: readonly number[]
}

/**
 * The regions as they stand at `nowMs`, by code, ten at most: the freshest where there are more. Of
 * a service's probes a failing one speaks for the region, else one that works, else a refused one.
 */
export const viewRegions = (held: readonly HeldRegion[], how: ReadAt): RegionView[] => {
  const views = held.map((region) => viewRegion(region, how))
  const read = views.length > regionsReadMax ? freshestOf(views) : views
  return read.toSorted(byCode)
}

const freshestOf = (views: readonly RegionView[]): RegionView[] =>
  views.toSorted((a, b) => measuredAtOf(b) - measuredAtOf(a) || byCode(a, b)).slice(0, regionsReadMax)

const viewRegion = (held: HeldRegion, { nowMs, staleAfterMs }: ReadAt): RegionView => {
  const { region, readings, quarantined, undecided = [], doubted = false, changed = false } = held
  const isFresh = ({ measuredAt }: { measuredAt: number }): boolean => nowMs - measuredAt <= staleAfterMs
  const fresh = readings.filter(isFresh)
  const speaker = speakerOf(fresh)
  const goodProbes = fresh.flatMap(({ verdict, probe = 0 }) => (verdict === 'up' ? [probe] : []))
  const isDoubted = doubted && speaker?.verdict === 'down'
  const weighed = speaker?.verdict === 'down' && nowMs < (held.weighedUntilMs ?? nowMs)
  const known = {
    region,
    quarantined,
    undecided: null,
    doubted: isDoubted,
    changed,
    weighed,
    goodProbes,
  }
  if (quarantined || weighed || isDoubted) {
    return { ...known, reading: speaker ?? newestOf(readings), status: 'unknown', fresh: false }
  }
  if (speaker !== null) return { ...known, reading: speaker, status: speaker.verdict, fresh: true }
  const reading = newestOf(readings)
  const status = reading === null ? 'unknown' : 'stale'
  return {
    ...known,
    undecided: speakingOf(undecided.filter(isFresh)),
    reading,
    status,
    fresh: false,
  }
}

/** What fails says more than what could not be measured. */
const speakingOf = (undecided: readonly UndecidedReading[]): UndecidedReading | null =>
  undecided.find(({ why }) => why !== 'unmeasured') ?? undecided[0] ?? null

const speakerOf = (readings: readonly ProbeReading[]): ProbeReading | null =>
  (['down', 'up', 'blocked'] as const)
    .map((verdict) => readings.find((reading) => reading.verdict === verdict))
    .find((reading) => reading !== undefined) ?? null

const newestOf = (readings: readonly ProbeReading[]): ProbeReading | null =>
  readings.toSorted((a, b) => b.measuredAt - a.measuredAt)[0] ?? null

const measuredAtOf = (view: RegionView): number => view.reading?.measuredAt ?? 0

const byCode = (a: RegionView, b: RegionView): number => (a.region < b.region ? -1 : 1)

/** A region as the answers show it, with what is stale or quarantined said to be. */
export const describeRegion = (view: RegionView): RegionalReading => ({
  region: view.region,
  status: view.status,
  reason: reasonOf(view),
  latencyMs: view.reading?.latencyMs ?? null,
  measuredAt: measuredAtText(view),
  fresh: view.fresh,
})

/** What could not be measured has no time of measurement. */
const measuredAtText = ({ undecided, reading }: RegionView): string | null => {
  const at = undecided === null || undecided.why === 'unmeasured' ? reading : undecided
  return at === null ? null : new Date(at.measuredAt).toISOString()
}

const reasonOf = (view: RegionView): string | null => {
  const { quarantined, undecided, doubted, changed, weighed, status, reading } = view
  if (quarantined) return 'the region is quarantined: its own network failed'
  if (doubted) return `${reading?.reason ?? 'no answer'}: the network of this machine may be at fault`
  if (weighed) return 'no answer; we are checking whether our own network is at fault'
  if (changed && !view.fresh) return 'the measured page changed'
  if (undecided?.why === 'unproven')
    return `fails and has never worked from here: ${undecided.reason ?? 'no reason is known'}`
  if (undecided?.why === 'suspect')
    return `failed and is being retried: ${undecided.reason ?? 'no reason is known'}`
  if (undecided !== null) return `not measured: ${undecided.reason ?? 'no reason is known'}`
  if (status === 'unknown') return 'no reading yet'
  return status === 'stale' ? 'no recent reading' : (reading?.reason ?? null)
}
