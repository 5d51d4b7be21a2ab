import { hash } from 'node:crypto'
import {
  trendSlots,
  trendStepSeconds,
  type CheckRow,
  type CheckRows,
} from '@probe-mesh/contracts/check/check-row'
import type { RegionStatus } from '@probe-mesh/contracts/check/check'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { CheckWithState } from '../../records/check/check-record.ts'
import { findPausedSpans } from '../../records/check/check-revisions-store.ts'
import { findStatesOfHeartbeats } from '../../heartbeats/heartbeats-store.ts'
import type { HeartbeatWatch } from '../../heartbeats/outage.ts'
import type { HeartbeatState } from '../../heartbeats/state.ts'
import { findPageWindows } from '../../maintenance/maintenance-hold.ts'
import type { Caller } from '../../accounts/operations/context.ts'
import { queryClickHouse } from '../../accounts/operations/query-clickhouse.ts'
import { findFlipsOfChecks } from '../../status/flips-store.ts'
import type { FlipRow, Span } from '../../status/spans.ts'
import { withNewest } from '../../status/live-states.ts'
import { uptimeWindowsMs } from '@probe-mesh/contracts/check/uptime-by-age'
import { shareOf } from '../../status/uptime.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { Transaction } from '../../stores/postgres/connect.ts'
import type { CheckContext } from '../check-context.ts'
import { describeCheck, describeCheckStatus, describeHeartbeatCheck } from '../describe-check.ts'
import { statusEvidence } from '../status-evidence.ts'
import { latenciesOf, type Latency } from '../latencies.ts'
import { trendOf } from './trend.ts'
import { subjectsOf, sumUptimes, type UptimeSum } from './uptime-sums-store.ts'

export type RowContext = Pick<
  CheckContext,
  'sql' | 'freshen' | 'clickhouse' | 'heartbeatWatch' | 'latencies' | 'now' | 'log'
>

/** Beyond this, the list is shown without latency. */
const latencyMsMax = 1_000
const { day, month } = uptimeWindowsMs

/** What a page of checks needs besides their states. */
type Evidence = {
  watch: HeartbeatWatch
  uptimes: ReadonlyMap<string, UptimeSum[]>
  flips: ReadonlyMap<string, FlipRow[]>
  paused: ReadonlyMap<string, Span[]>
  covered: ReadonlySet<string>
  heartbeats: ReadonlyMap<string, HeartbeatState>
}

type DescribedRows = Omit<CheckRows, 'nextCursor' | 'vantage'>

/** One page of checks with what is known of each: a few queries for the whole page. */
export const describeRows = async (
  context: RowContext,
  { accountId }: Pick<Caller, 'accountId'>,
  stored: readonly CheckWithState[],
  nowMs: number,
): Promise<DescribedRows> => {
  const checks = stored.map((check) => withNewest(check, context.freshen))
  const stepMs = trendStepSeconds * 1000
  const fromMs = (Math.floor(nowMs / stepMs) + 1 - trendSlots) * stepMs
  const watch = await context.heartbeatWatch()
  const [evidence, latencies] = await Promise.all([
    inAccount(context.sql, accountId, (tx) => readEvidence(tx, checks, { watch, fromMs, nowMs })),
    readLatencies(context, accountId, checks, nowMs),
  ])
  const slots = { fromMs, stepMs, count: trendSlots }
  return {
    checks: checks.map((check) => {
      const { knownUntilMs, unwatched, flips } = evidenceOf(check, evidence, nowMs)
      return {
        ...describeCheck(check, nowMs),
        ...describeState(check, evidence, nowMs),
        p50Ms: latencies?.get(check.id)?.p50Ms ?? null,
        p95Ms: latencies?.get(check.id)?.p95Ms ?? null,
        ...describeUptime(evidence.uptimes.get(check.id)),
        maintenance: evidence.covered.has(check.id),
        trend: trendOf({ flips, knownUntilMs, unwatched }, slots, nowMs),
      }
    }),
    at: new Date(nowMs).toISOString(),
    trendFrom: new Date(fromMs).toISOString(),
    trendStepSeconds,
    latencyRead: latencies !== null,
  }
}

const readEvidence = async (
  tx: Transaction,
  checks: readonly CheckWithState[],
  { watch, fromMs, nowMs }: { watch: HeartbeatWatch; fromMs: number; nowMs: number },
): Promise<Evidence> => {
  const ids = checks.map(({ id }) => id)
  const heartbeatIds = checks.flatMap(({ id, type }) => (type === 'heartbeat' ? [id] : []))
  const subjects = checks.map((check) => ({
    id: check.id,
    isHeartbeat: check.type === 'heartbeat',
    knownUntilMs: statusEvidence(check, { flips: [], paused: [] }, watch, nowMs).knownUntilMs,
  }))
  const [uptimes, flips, paused, windows, heartbeats] = await Promise.all([
    sumUptimes(tx, subjectsOf(tx, subjects), { windowsMs: [month, day], nowMs }, watch.outages),
    findFlipsOfChecks(tx, ids, fromMs),
    findPausedSpans(tx, ids, fromMs),
    findPageWindows(tx, ids, { fromMs: nowMs, toMs: nowMs }),
    findStatesOfHeartbeats(tx, heartbeatIds),
  ])
  const pausedSpans = paused.map(({ toMs, ...span }) => ({ ...span, toMs: toMs ?? nowMs }))
  return {
    watch,
    uptimes,
    flips,
    paused: Map.groupBy(pausedSpans, ({ checkId }) => checkId),
    covered: new Set(windows.map(({ checkId }) => checkId)),
    heartbeats,
  }
}

const evidenceOf = (check: CheckWithState, { flips, paused, watch }: Evidence, nowMs: number) =>
  statusEvidence(
    check,
    { flips: flips.get(check.id) ?? [], paused: paused.get(check.id) ?? [] },
    watch,
    nowMs,
  )

/**
 * Latency of a day changes slowly and its query reads a thousand rows for each one that it needs: it is cached for
 * the checks of a page. null: ClickHouse did not answer in time.
 */
const readLatencies = (
  context: RowContext,
  accountId: string,
  checks: readonly CheckWithState[],
  nowMs: number,
): Promise<ReadonlyMap<string, Latency> | null> => {
  const ids = checks.flatMap(({ id, type }) => (type === 'heartbeat' ? [] : [id])).toSorted()
  const key = hash('sha256', ids.join(), 'base64url')
  const known = context.latencies.peek(key)
  if (known !== undefined) return Promise.resolve(known)
  return context.latencies.load(key, accountId, async () => {
    const deadline = AbortSignal.timeout(latencyMsMax)
    const found = await queryClickHouse(context, accountId, () =>
      latenciesOf(context.clickhouse, ids, nowMs, deadline),
    ).catch((error: unknown) => {
      if (!deadline.aborted) throw error
      context.log.warn({ err: error }, 'ClickHouse did not answer in time; the list has no latency')
      return null
    })
    const value = found === null || isRefusal(found) ? null : found
    return { keep: value, value }
  })
}

type RowState = Pick<
  CheckRow,
  'statusSince' | 'statusReason' | 'measuredAt' | 'staleAfterSeconds' | 'regionStatuses'
>

const describeState = (check: CheckWithState, { heartbeats }: Evidence, nowMs: number): RowState => {
  const { config } = check
  const state = heartbeats.get(check.id)
  if (config.type === 'heartbeat' && state !== undefined) {
    const found = { state, latestRun: null }
    const urls = { pingUrl: null, slugUrl: null }
    const { heartbeat: _, ...shown } = describeHeartbeatCheck(check, config.settings, found, urls, nowMs)
    return { ...shown, regionStatuses: [] }
  }
  const described = describeCheckStatus(check, nowMs)
  return {
    statusSince: described.statusSince,
    statusReason: described.statusReason,
    measuredAt: described.measuredAt,
    staleAfterSeconds: described.staleAfterSeconds,
    regionStatuses: check.type === 'heartbeat' ? [] : described.regionStatuses.map(withoutTimings),
  }
}

const withoutTimings = ({ timings: _timings, ...shown }: RegionStatus): RowState['regionStatuses'][number] =>
  shown

const describeUptime = (
  sums: readonly UptimeSum[] | undefined,
): Pick<CheckRow, 'uptime' | 'measuredShare'> => {
  const ofMonth = shareOf(sums?.[0] ?? nothing, month)
  const ofDay = shareOf(sums?.[1] ?? nothing, day)
  return {
    uptime: { day: ofDay.value, month: ofMonth.value },
    measuredShare: { day: ofDay.share, month: ofMonth.share },
  }
}

const nothing: UptimeSum = { measuredMs: 0, downMs: 0 }
