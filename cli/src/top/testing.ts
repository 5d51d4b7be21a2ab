import { noAssertions } from '@probe-mesh/contracts/check/assertions'
import type { Check, CheckDetail, RegionStatus, StoredReading } from '@probe-mesh/contracts/check/check'
import type { CheckRow as ListedCheck } from '@probe-mesh/contracts/check/check-row'
import type { AccountEvent, Flip } from '@probe-mesh/contracts/mesh/events'
import { noTimings } from '@probe-mesh/contracts/reading/reading-details'
import { reduce, type TopEvent } from './model/reduce.ts'
import { newTopState, type TopState } from './model/state.ts'

export const startMs = Date.parse('2026-11-20T12:00:00Z')
export const testRegions = ['iad', 'sjc', 'fra', 'nrt']
/** For a check measured every 10 s: two intervals, two attempts of 4 s, and delivery. */
export const staleAfterMs = 33_000

const at = (ms: number): string => new Date(startMs + ms).toISOString()

/** An http check that is measured every 10 s; its id is its name. */
export const checkOf = (name: string, more: Partial<Check> = {}): Check => ({
  id: name,
  name,
  type: 'http',
  url: `https://${name}.example.com/`,
  target: null,
  intervalSeconds: 10,
  regions: testRegions,
  allRegions: true,
  paused: false,
  private: false,
  tags: [],
  ...noAssertions,
  status: 'operational',
  createdAt: at(-100 * 86_400_000),
  updatedAt: at(-86_400_000),
  ...more,
})

export const regionOf = (
  region: string,
  measuredMs: number | null,
  more: Partial<RegionStatus> = {},
): RegionStatus => ({
  region,
  status: measuredMs === null ? 'unknown' : 'up',
  reason: null,
  latencyMs: measuredMs === null ? null : 120,
  measuredAt: measuredMs === null ? null : at(measuredMs),
  fresh: measuredMs !== null,
  verdict: measuredMs === null ? null : 'up',
  timings: { dnsMs: 10, connectMs: 20, tlsMs: 30, ttfbMs: 50, transferMs: 10 },
  ...more,
})

export const detailOf = (check: Check, more: Partial<CheckDetail> = {}): CheckDetail => ({
  ...check,
  statusSince: at(-3_600_000),
  statusReason: null,
  vantage: 'regional',
  measuredAt: at(0),
  staleAfterSeconds: staleAfterMs / 1000,
  regionStatuses: check.regions.map((region) => regionOf(region, 0)),
  uptime: { day: 1, week: 0.999_99, month: 0.5, quarter: null },
  measuredShare: { day: 1, week: 1, month: 0.9, quarter: 0 },
  ...more,
})

export const readingOf = (
  region: string,
  slotMs: number,
  more: Partial<StoredReading> = {},
): StoredReading => ({
  region,
  slot: at(slotMs),
  kind: 'scheduled',
  verdict: 'up',
  reason: null,
  httpStatus: 200,
  latencyMs: 100,
  timings: noTimings,
  measuredAt: at(slotMs + 5),
  receivedAt: at(slotMs + 300),
  agent: `${region}-1`,
  details: null,
  ...more,
})

export const readingEvent = (checkId: string, reading: StoredReading): AccountEvent => ({
  kind: 'reading',
  accountId: 'account',
  checkId,
  reading,
})

export const flipEvent = (
  checkId: string,
  to: Flip['to'],
  atMs: number,
  reason: string | null = null,
): AccountEvent => ({
  kind: 'flip',
  accountId: 'account',
  flip: {
    id: `${checkId} ${atMs}`,
    accountId: 'account',
    checkId,
    checkName: checkId,
    from: 'unknown',
    to,
    reason,
    at: at(atMs),
  },
})

/** A check of the list whose regions have not measured it yet. */
export const rowOf = (check: Check, more: Partial<ListedCheck> = {}): ListedCheck => ({
  ...check,
  statusSince: null,
  statusReason: null,
  measuredAt: null,
  staleAfterSeconds: staleAfterMs / 1000,
  regionStatuses: check.type === 'heartbeat' ? [] : check.regions.map((region) => regionOf(region, null)),
  p50Ms: null,
  p95Ms: null,
  uptime: { day: null, month: null },
  measuredShare: { day: null, month: null },
  maintenance: false,
  trend: [],
  ...more,
})

export const listed = (checks: readonly (Check | ListedCheck)[], requestedMs = 0): TopEvent => ({
  kind: 'listed',
  checks: checks.map((check) => ('trend' in check ? check : rowOf(check))),
  vantage: 'regional',
  requestedMs: startMs + requestedMs,
  skewMs: 0,
})

export const account: TopEvent = {
  kind: 'account',
  me: {
    account: { id: 'account', name: 'Example', tier: 'scale' },
    key: { scope: 'read_write', name: 'laptop' },
    limits: {
      monitors: { used: 3, allowed: 5_000 },
      minimumIntervalSeconds: 10,
      reads: { left: 120 },
      writes: { left: 30 },
    },
    regions: testRegions,
  },
}

export const connected: TopEvent = { kind: 'connection', state: 'connected', why: null }

/** The state after events, each with its milliseconds after the start. */
export const stateAfter = (events: readonly (readonly [ms: number, event: TopEvent])[]): TopState =>
  events.reduce((state, [ms, event]) => reduce(state, event, startMs + ms), newTopState(startMs))
