import { isDeepStrictEqual } from 'node:util'
import { requestPools } from '@probe-mesh/contracts/api/request-pools'
import type { InputOf } from '@probe-mesh/contracts/schema/route'
import {
  replayDays,
  replayReadingsMax,
  type ReplayedRule,
  type RuleReplay,
  type ruleReplayRoutes,
} from '@probe-mesh/contracts/check/rule-replay'
import { defaultStatusRule } from '@probe-mesh/contracts/check/status-rule'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { StoreBusy } from '@probe-mesh/runtime/account-turns'
import { ThreadEnded } from '@probe-mesh/runtime/warm-thread'
import type { CheckRecord } from '../../records/check/check-record.ts'
import { findRevisions } from '../../records/check/check-revisions-store.ts'
import { findCheck } from '../../records/check/checks-store.ts'
import { refuseStatusRule } from '../../checks/status-rule.ts'
import type { AccountContext, Caller } from '../../accounts/operations/context.ts'
import { queryClickHouse } from '../../accounts/operations/query-clickhouse.ts'
import { findQuarantinedSpans } from '../../status/quarantine/quarantines-store.ts'
import { findBursts } from '../../status/quarantine/region-bursts-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findArrivals, pageReadingsMax } from './arrivals-query.ts'
import type { Page } from './compare-rules.ts'
import type { ReplayThreads } from './replay-threads.ts'

const dayMs = 86_400_000
/** Intervals judged before the replayed time, so that it begins with a known status. */
const warmUpIntervals = 15
/** Slots of one page. */
const pageSlots = 8_000
/** A replay ends after this time with what it has, ms. */
const replayMsMax = requestPools.replays.workMsMax
/** A reading may arrive before its slot by our clock: an agent's clock may be 60 s ahead (S-711). */
const aheadMsMax = 65_000

export type ReplayContext = Pick<AccountContext, 'sql' | 'clickhouse' | 'rules' | 'now' | 'log'> & {
  /** One replay of an account at a time. */
  readonly replays: ReplayThreads
  /** Sees quarantines and bursts, which belong to no account. */
  readonly meshSql: Sql
  /** Replaces the limit of time in tests, ms. */
  readonly replayMsMax?: number
}

/**
 * What a rule, and the current one, would have made of the stored readings of the last 30 days (S-923, S-924). Refusals:
 * no such check SV-3001, a heartbeat SV-3005, a rule that does not fit SV-2001, ClickHouse or the turn SV-9002.
 */
export const replayStatusRule = async (
  context: ReplayContext,
  caller: Caller,
  { params, body }: InputOf<(typeof ruleReplayRoutes)['replayStatusRule']>,
): Promise<RuleReplay | Refusal> => {
  const nowMs = context.now()
  const found = await inAccount(context.sql, caller.accountId, async (tx) => {
    const check = await findCheck(tx, caller.accountId, params.id)
    if (check === null) return null
    return { check, revisions: await findRevisions(tx, check.id, nowMs - (replayDays + 1) * dayMs, nowMs) }
  })
  if (found === null) return refuse('SV-3001')
  const { check, revisions } = found
  if (check.type === 'heartbeat') return refuse('SV-3005', { message: noRule })
  const isStored = isDeepStrictEqual(body.statusRule, check.statusRule ?? defaultStatusRule)
  const unfit = isStored ? null : refuseStatusRule(body.statusRule, check)
  if (unfit !== null) return unfit
  const span = spanOf(check, context.rules.tiers[caller.tier].rawDays, nowMs)
  const quarantines = await findQuarantinedSpans(context.meshSql, span.readFromMs)
  const bursts = await findBursts(context.meshSql, span.readFromMs)
  const { id: checkId, accountId, name } = check
  const history = { check: { checkId, accountId, name, host: null }, revisions, quarantines, bursts }
  try {
    return await context.replays.run(accountId, async (ask) => {
      const current = check.statusRule ?? defaultStatusRule
      const regions = check.regions.length
      await ask({ begin: { history, regions, current, tried: body.statusRule, fromMs: span.fromMs } })
      const judge = (page: Page) => ask({ page }) as Promise<number | null>
      const counted = await judgeStored(context, { check, span }, judge)
      if (isRefusal(counted)) return counted
      const [ofCurrent, ofTried] = (await ask({ endMs: counted.untilMs })) as [ReplayedRule, ReplayedRule]
      return {
        from: new Date(span.fromMs).toISOString(),
        to: new Date(counted.untilMs).toISOString(),
        readings: counted.readings,
        cut: counted.cut ?? span.cut,
        current: ofCurrent,
        tried: ofTried,
      }
    })
  } catch (error) {
    if (!(error instanceof StoreBusy || error instanceof ThreadEnded)) throw error
    return refuse('SV-9002', { message: busy, retryAfterSeconds: 10 })
  }
}

const noRule = 'A heartbeat has no status rule: its deadline decides.'
const busy = 'Another replay of this account, or of others, is under way. Retry in 10 s.'

type Span = { readFromMs: number; fromMs: number; toMs: number; cut: RuleReplay['cut'] }

/** The time to replay: as much of 30 days as is stored and can be judged. */
const spanOf = (
  { createdAtMs, regions, intervalSeconds }: CheckRecord,
  rawDays: number,
  nowMs: number,
): Span => {
  const intervalMs = intervalSeconds * 1_000
  const warmUpMs = warmUpIntervals * intervalMs
  // a tenth is left for confirmations
  const fittingMs = (replayReadingsMax * 0.9 * intervalMs) / Math.max(1, regions.length) - warmUpMs
  const starts = [
    { fromMs: nowMs - replayDays * dayMs, cut: null },
    { fromMs: nowMs - rawDays * dayMs, cut: rawDays < replayDays ? ('plan' as const) : null },
    { fromMs: createdAtMs, cut: 'age' as const },
    { fromMs: nowMs - fittingMs, cut: 'readings' as const },
  ]
  const latest = starts.reduce((a, b) => (b.fromMs > a.fromMs ? b : a))
  return { ...latest, readFromMs: latest.fromMs - warmUpMs, toMs: nowMs }
}

type Counted = { readings: number; untilMs: number; cut: RuleReplay['cut'] }

/** Reads pages in the order of slots, and has them judged, until a limit is reached. */
const judgeStored = async (
  context: ReplayContext,
  { check, span }: { check: CheckRecord; span: Span },
  judge: (page: Page) => Promise<number | null>,
): Promise<Counted | Refusal> => {
  const { clickhouse } = context
  const beganMs = performance.now()
  const pageMs = (pageSlots * check.intervalSeconds * 1_000) / Math.max(1, check.regions.length)
  let readings = 0
  for (let fromMs = span.readFromMs; fromMs < span.toMs; fromMs += pageMs) {
    const toMs = Math.min(fromMs + pageMs, span.toMs)
    const text = await queryClickHouse(context, check.accountId, () =>
      findArrivals(clickhouse, { checkId: check.id, fromMs, toMs }),
    )
    if (isRefusal(text)) return text
    const isLate = performance.now() - beganMs > (context.replayMsMax ?? replayMsMax)
    const readingsMax = Math.min(pageReadingsMax, replayReadingsMax - readings)
    const settledMs = toMs >= span.toMs ? span.toMs : toMs - aheadMsMax
    const judged = isLate ? null : await judge({ text, readingsMax, settledMs })
    if (judged === null) {
      const untilMs = Math.max(span.fromMs, fromMs - aheadMsMax)
      return { readings, untilMs, cut: isLate ? 'time' : 'readings' }
    }
    readings += judged
  }
  return { readings, untilMs: span.toMs, cut: null }
}
