import {
  regionSeriesPointsMax,
  regionSeriesSpanSecondsMax,
  regionSeriesSpanSecondsMin,
  type RegionSeries,
} from '@probe-mesh/contracts/check/region-series'
import type { DashboardRoutes } from '@probe-mesh/contracts/api/dashboard-routes'
import { isRefusal, refuse, type FieldProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import { findCheck } from '../records/check/checks-store.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { queryClickHouse } from '../accounts/operations/query-clickhouse.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { regionSeriesOf } from './region-series-query.ts'

/** Latency by region and over all regions, in steps that suit a chart: one query. */
export const getRegionSeries = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'rules' | 'now' | 'log'>,
  caller: Pick<Caller, 'accountId' | 'tier'>,
  { params, query }: InputOf<DashboardRoutes['getRegionSeries']>,
): Promise<RegionSeries | Refusal> => {
  const nowMs = context.now()
  const { rawDays } = context.rules.tiers[caller.tier]
  const window = chartWindow(query, { nowMs, minutesFromMs: nowMs - rawDays * dayMs })
  if ('problems' in window) return refuse('SV-2001', { errors: window.problems })
  const check = await inAccount(context.sql, caller.accountId, (tx) =>
    findCheck(tx, caller.accountId, params.id),
  )
  if (check === null) return refuse('SV-3001')
  const found = await queryClickHouse(context, caller.accountId, () =>
    regionSeriesOf(context.clickhouse, {
      ...window,
      checkId: check.id,
      regions: check.regions,
      untilMs: nowMs,
    }),
  )
  if (isRefusal(found)) return found
  return {
    checkId: check.id,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
    stepSeconds: window.stepSeconds,
    ...found,
  }
}

const dayMs = 86_400_000
const hourSeconds = 3_600
/** Steps that divide a day, from a minute on. */
const steps = [60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400]

export type ChartWindow = { fromMs: number; toMs: number; stepSeconds: number }

/**
 * The window of a chart, aligned to whole steps of UTC. Time from before `minutesFromMs` is kept by the hour
 * only.
 */
export const chartWindow = (
  query: { from?: number | undefined; to?: number | undefined },
  { nowMs, minutesFromMs }: { nowMs: number; minutesFromMs: number },
): ChartWindow | { problems: FieldProblem[] } => {
  const to = query.to ?? nowMs
  const from = query.from ?? to - dayMs
  const seconds = (to - from) / 1000
  if (seconds < regionSeriesSpanSecondsMin || seconds > regionSeriesSpanSecondsMax) {
    const message = `must be between ${regionSeriesSpanSecondsMin / 60} min and ${regionSeriesSpanSecondsMax / 86_400} d before to`
    return { problems: [{ path: 'from', message }] }
  }
  const stepSeconds =
    steps.find(
      (step) =>
        seconds / step <= regionSeriesPointsMax && (from >= minutesFromMs || step % hourSeconds === 0),
    ) ?? 86_400
  const stepMs = stepSeconds * 1000
  return {
    fromMs: Math.floor(from / stepMs) * stepMs,
    toMs: Math.ceil(to / stepMs) * stepMs,
    stepSeconds,
  }
}
