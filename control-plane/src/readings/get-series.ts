import type { Series } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse, type Refusal, type FieldProblem } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { TierLimits } from '@probe-mesh/contracts/account/tiers'
import { seriesOf } from './series-query.ts'
import { findRevisions } from '../records/check/check-revisions-store.ts'
import { findCheck } from '../records/check/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { staleAfterMs } from '../status/freshness.ts'
import { queryClickHouse } from '../accounts/operations/query-clickhouse.ts'
import type { AccountContext, Caller } from '../accounts/operations/context.ts'
import { seriesPoints } from './series-points.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'

/** Percentiles and availability per step, with the slot ledger: due, measured and lost slots (S-717). */
export const getSeries = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'rules' | 'now' | 'log'>,
  caller: Caller,
  input: RouteInput<'getSeries'>,
): Promise<Series | Refusal> => {
  const nowMs = context.now()
  const { region } = input.query
  const window = seriesWindow(input.query, nowMs)
  if ('problems' in window) return refuse('SV-2001', { errors: window.problems })
  const { fromMs, toMs, stepSeconds } = window

  const found = await inAccount(context.sql, caller.accountId, async (tx) => {
    const check = await findCheck(tx, caller.accountId, input.params.id)
    return check === null ? null : { check, revisions: await findRevisions(tx, check.id, fromMs, toMs) }
  })
  if (found === null) return refuse('SV-3001')
  const { check, revisions } = found
  const dueToMs = settledMs(check.intervalSeconds, nowMs)
  const stored = await queryClickHouse(context, caller.accountId, () =>
    // an agent whose clock is ahead may have readings in minutes that have not begun
    seriesOf(context.clickhouse, {
      checkId: check.id,
      region,
      fromMs,
      toMs: Math.max(fromMs, Math.min(toMs, nowMs)),
      stepSeconds,
      recentFromMs: dueToMs,
    }),
  )
  if (isRefusal(stored)) return stored
  const points = seriesPoints({
    checkId: check.id,
    region,
    revisions,
    stored,
    fromMs,
    toMs,
    stepMs: stepSeconds * 1000,
    dueFromMs: nowMs - keptMs(window, context.rules.tiers[caller.tier]),
    dueToMs,
  })
  return {
    checkId: check.id,
    region: region ?? null,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    stepSeconds,
    points,
  }
}

/** Readings of younger slots may still be on their way. On a whole minute, as the rollup has them. */
const settledMs = (intervalSeconds: number, nowMs: number): number =>
  Math.floor((nowMs - staleAfterMs(intervalSeconds)) / 60_000) * 60_000

/** How long the rollup for this step is kept: expired readings are not lost ones. */
const keptMs = (window: SeriesWindow, tier: TierLimits): number =>
  (window.stepSeconds % 3_600 === 0 ? tier.hourDays : tier.rawDays) * 86_400_000

type SeriesWindow = { fromMs: number; toMs: number; stepSeconds: number }

const defaultSpanMs = 86_400_000
/** The steps to choose from: the finest that makes at most `defaultPointsMax` points. */
const defaultSteps = [60, 300, 900, 3_600, 21_600, 86_400]
const defaultPointsMax = 300

/**
 * The window of a series: the last day by default, aligned to whole steps of UTC so that the same step always
 * has the same readings.
 */
export const seriesWindow = (
  query: { from?: number | undefined; to?: number | undefined; step?: number | undefined },
  nowMs: number,
): SeriesWindow | { problems: FieldProblem[] } => {
  const to = query.to ?? nowMs
  const from = query.from ?? to - defaultSpanMs
  const problems: FieldProblem[] = []
  if (from >= to) problems.push({ path: 'from', message: 'must be before to' })
  if (query.step !== undefined && query.step % limits.seriesStepSecondsMin !== 0) {
    const message = `must be a multiple of ${limits.seriesStepSecondsMin} seconds`
    problems.push({ path: 'step', message })
  }
  const stepSeconds = query.step ?? finestStep(to - from)
  const stepMs = stepSeconds * 1000
  const fromMs = Math.floor(from / stepMs) * stepMs
  const toMs = Math.ceil(to / stepMs) * stepMs
  if (from < to && (toMs - fromMs) / stepMs > limits.seriesPointsMax) {
    const message = `makes more than ${limits.seriesPointsMax} points; use a longer step or a shorter time`
    problems.push({ path: 'step', message })
  }
  return problems.length > 0 ? { problems } : { fromMs, toMs, stepSeconds }
}

const finestStep = (spanMs: number): number =>
  defaultSteps.find((step) => spanMs / (step * 1000) <= defaultPointsMax) ?? 86_400
