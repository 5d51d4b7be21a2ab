import type {
  CheckStatus,
  CheckType,
  StoredReading,
  Uptime,
} from '@probe-mesh/contracts/check/check'
import type { AccountEvent } from '@probe-mesh/contracts/mesh/events'
import type { Heartbeat } from '@probe-mesh/contracts/heartbeat/heartbeat'
import type { Verdict } from '@probe-mesh/contracts/reading/reading'
import type { Region } from '@probe-mesh/contracts/reading/regions'
import type { Timings } from '@probe-mesh/contracts/reading/timings'

/** The newest that is known of one region of a check. */
export type Seen = {
  verdict: Exclude<Verdict, 'unmeasured'>
  reason: string | null
  latencyMs: number | null
  timings: Timings
  measuredAtMs: number
  /** False where the API does not count it although it is recent, such as one that was withdrawn. */
  counts: boolean
}

/** One reading of a latency line, at its slot. */
export type Point = {
  slotMs: number
  region: Region
  verdict: Seen['verdict']
  latencyMs: number | null
}

export type CheckRow = {
  id: string
  name: string
  type: CheckType
  target: string | null
  intervalSeconds: number
  /** None of a heartbeat, which is measured in no region. */
  regions: readonly Region[]
  paused: boolean
  /** As the API said last; what is shown of it also depends on the time (freshness.ts). */
  status: CheckStatus
  statusReason: string | null
  /** By the API's clock. */
  statusSinceMs: number | null
  /** When the newest change happened that is known, by the API's clock; 0: none is. */
  flipAtMs: number
  /** By the clock of here: what was asked for before this says nothing of the status. */
  flipToldMs: number
  staleAfterMs: number
  seen: Readonly<Record<Region, Seen>>
  /** In the order of their slots, at most `pointsMax`. */
  points: readonly Point[]
  uptime: Uptime | null
  heartbeat: Heartbeat | null
  /** When the answer was asked for that its details are from; null: none yet. */
  detailedMs: number | null
}

export type Incident = Extract<AccountEvent, { kind: 'incident' }>

/** A check that is looked at by itself. */
export type Opened = {
  checkId: string
  /** Newest first, at most `readingsMax`. */
  readings: readonly StoredReading[]
  /** When they were asked for; null: not yet. */
  readMs: number | null
}

/** A run on demand: asked whether it is meant, under way, or how it ended. */
export type RunState =
  | { kind: 'none' }
  | { kind: 'asking'; checkId: string; untilMs: number }
  | { kind: 'running'; checkId: string }
  | { kind: 'ended'; said: string; isRefused: boolean; untilMs: number }

export type Sort = 'status' | 'name'

export type TopState = {
  checks: ReadonlyMap<string, CheckRow>
  account: { name: string; tier: string; regions: readonly Region[] } | null
  vantage: 'local' | 'regional' | null
  /** Newest first, at most `incidentsMax`, of those told since the start. */
  incidents: readonly Incident[]
  connection: {
    state: 'connecting' | 'connected' | 'reconnecting'
    sinceMs: number
    /** When the stream was opened last; null: never. */
    connectedMs: number | null
    why: string | null
  }
  /** When the list was asked for that is shown; null: none yet. */
  listedMs: number | null
  /** Until when the statuses of the list are known to have held, where no stream is open. */
  heldMs: number
  /** A check was told of that the list does not have. */
  isUnlisted: boolean
  /** The API's clock is ahead of the one here by so much. */
  skewMs: number
  /** Reads that wait for their share of the budget, and why the last one failed. */
  reads: { waiting: number; problem: string | null }
  /** Events that were too many or could not be read. */
  dropped: number
  selected: string | null
  filter: string
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
  incidents: [],
  connection: { state: 'connecting', sinceMs: nowMs, connectedMs: null, why: null },
  listedMs: null,
  heldMs: nowMs,
  isUnlisted: false,
  skewMs: 0,
  reads: { waiting: 0, problem: null },
  dropped: 0,
  selected: null,
  filter: '',
  isFiltering: false,
  sort: 'status',
  focus: null,
  opened: null,
  isHelpShown: false,
  run: { kind: 'none' },
})
