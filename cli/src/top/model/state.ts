import type { CheckStatus, CheckType, StoredReading, Uptime } from '@probe-mesh/contracts/check/check'
import type { TrendState } from '@probe-mesh/contracts/check/check-row'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { Heartbeat } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Timings } from '@probe-mesh/contracts/reading/reading-details'

/** The newest known result of one region. */
export type RegionResult = {
  verdict: Exclude<Verdict, 'unmeasured'>
  reason: string | null
  latencyMs: number | null
  timings: Timings
  measuredAtMs: number
  /** False if the API does not count it although it is recent, such as a withdrawn one. */
  counts: boolean
}

/** One reading of a latency line, at its slot. */
export type Point = {
  slotMs: number
  region: Region
  verdict: RegionResult['verdict']
  latencyMs: number | null
}

export type CheckRow = {
  id: string
  name: string
  type: CheckType
  target: string | null
  intervalSeconds: number
  /** Empty for a heartbeat, which no region measures. */
  regions: readonly Region[]
  paused: boolean
  /** The last status from the API; the displayed status also depends on time (freshness.ts). */
  status: CheckStatus
  statusReason: string | null
  /** By the API's clock. */
  statusSinceMs: number | null
  /** Time of the newest known flip, by the API's clock; 0 if there is none. */
  flipAtMs: number
  /** By our clock: an answer requested earlier does not override the status. */
  flipReceivedMs: number
  staleAfterMs: number
  /** Whether an active maintenance window covers it. */
  isMaintained: boolean
  /** The last 24 hours in half hours, oldest first. */
  trend: readonly TrendState[]
  results: Readonly<Record<Region, RegionResult>>
  /** In slot order, at most `pointsMax`. */
  points: readonly Point[]
  uptime: Uptime | null
  heartbeat: Heartbeat | null
  /** When the answer with the details was requested; null: none yet. */
  detailedMs: number | null
}

export type Incident = Extract<AccountEvent, { kind: 'incident' }>

/** The check in the detail view. */
export type Opened = {
  checkId: string
  /** Newest first, at most `readingsMax`. */
  readings: readonly StoredReading[]
  /** When they were requested; null: not yet. */
  readMs: number | null
}

/** A run on demand: waiting for confirmation, running, or ended. */
type RunState =
  | { kind: 'none' }
  | { kind: 'asking'; checkId: string; untilMs: number }
  | { kind: 'running'; checkId: string; act: string | null }
  | { kind: 'ended'; said: string; isRefused: boolean; untilMs: number }

/** The orders of the list, as the key `s` changes them. `changed`: the latest change of status first. */
export const sorts = ['status', 'name', 'changed'] as const
export type Sort = (typeof sorts)[number]

export type TopState = {
  checks: ReadonlyMap<string, CheckRow>
  account: { name: string; tier: string; regions: readonly Region[] } | null
  vantage: 'local' | 'regional' | null
  /** Agents run, and none of them can measure. */
  nothingMeasured: boolean
  /** Newest first, at most `incidentsMax`, reported since the start. */
  incidents: readonly Incident[]
  connection: {
    state: 'connecting' | 'connected' | 'reconnecting'
    sinceMs: number
    /** When the stream was last opened; null: never. */
    connectedMs: number | null
    why: string | null
  }
  /** When the shown list was requested; null: none yet. */
  listedMs: number | null
  /** Until when the listed statuses are known to be current, without an open stream. */
  knownMs: number
  /** An event named a check that is not in the list, or one that may be paused or resumed. */
  isUnlisted: boolean
  /** How far the API's clock is ahead of ours. */
  skewMs: number
  /** Reads that wait for the limit, and why the last one failed. */
  reads: { waiting: number; problem: string | null }
  /** Events that were dropped or unreadable. */
  dropped: number
  selected: string | null
  filter: string
  /** The act that is being typed; null: none. */
  command: string | null
  isFiltering: boolean
  sort: Sort
  focus: Region | null
  opened: Opened | null
  isHelpShown: boolean
  run: RunState
}

export const pointsMax = 96
export const readingsMax = 50
export const incidentsMax = 20

export const newTopState = (nowMs: number): TopState => ({
  checks: new Map(),
  account: null,
  vantage: null,
  nothingMeasured: false,
  incidents: [],
  connection: { state: 'connecting', sinceMs: nowMs, connectedMs: null, why: null },
  listedMs: null,
  knownMs: nowMs,
  isUnlisted: false,
  skewMs: 0,
  reads: { waiting: 0, problem: null },
  dropped: 0,
  selected: null,
  filter: '',
  command: null,
  isFiltering: false,
  sort: 'status',
  focus: null,
  opened: null,
  isHelpShown: false,
  run: { kind: 'none' },
})
