import type { Series } from '@probe-mesh/contracts/check/check'
import { isRefusal, refuse } from '@probe-mesh/contracts/schema/refusal'
import type { Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { RouteInput } from '@probe-mesh/contracts/api/routes'
import type { TierLimits } from '@probe-mesh/contracts/account/tiers'
import { seriesOf } from './series-query.ts'
import { findRevisions } from '../check-record/check-revisions-store.ts'
import { findCheck } from '../check-record/checks-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { staleAfterMs } from '../status/freshness.ts'
import { askClickHouse } from '../operations/ask-clickhouse.ts'
import type { AccountContext, Caller } from '../operations/context.ts'
import { seriesPoints } from './series-points.ts'
import { seriesWindow } from './series-window.ts'
import type { SeriesWindow } from './series-window.ts'

/** Percentiles and availability per step, with the slot ledger: due, measured and lost (S-717). */
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
    return check === null
      ? null
      : { check, revisions: await findRevisions(tx, check.id, fromMs, toMs) }
  })
  if (found === null) return refuse('SV-3001')
  const { check, revisions } = found
  const stored = await askClickHouse(context, caller.accountId, () =>
    // readings of an agent whose clock is ahead may stand in minutes that have not begun
    seriesOf(context.clickhouse, {
      checkId: check.id,
      region,
      fromMs,
      toMs: Math.max(fromMs, Math.min(toMs, nowMs)),
      stepSeconds,
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
    dueToMs: nowMs - staleAfterMs(check.intervalSeconds),
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

/** How long the rollup that answers this step is kept: what has expired is not lost. */
const keptMs = (window: SeriesWindow, tier: TierLimits): number =>
  (window.stepSeconds % 3_600 === 0 ? tier.hourDays : tier.rawDays) * 86_400_000
