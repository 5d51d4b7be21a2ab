import { setImmediate as nextTurn } from 'node:timers/promises'
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
import { defaultStatusRule, statusRuleText, type StatusRule } from '@probe-mesh/contracts/check/status-rule'
import { isRefusal, refuse, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import { StoreBusy, takeTurn, type Turns } from '@probe-mesh/runtime/account-turns'
import type { CheckRecord } from '../../check-record/check-record.ts'
import { findRevisions } from '../../check-record/check-revisions-store.ts'
import { findCheck } from '../../check-record/checks-store.ts'
import { refuseStatusRule } from '../../checks/status-rule.ts'
import type { AccountContext, Caller } from '../../operations/context.ts'
import { queryClickHouse } from '../../operations/query-clickhouse.ts'
import type { StatusChange } from '../../status/observe.ts'
import { findQuarantinedSpans } from '../../status/quarantine/quarantines-store.ts'
import { findBursts } from '../../status/quarantine/region-bursts-store.ts'
import { inAccount } from '../../stores/postgres/in-account.ts'
import type { Sql } from '../../stores/postgres/connect.ts'
import { findArrivals } from './arrivals-query.ts'
import { byArrival, createReplay, type ArrivedReading, type ReplayedHistory } from './replay.ts'
import { sumUp } from './sum-up.ts'

const dayMs = 86_400_000
/** Intervals judged before the replayed time, so that it begins with a known status. */
const warmUpIntervals = 15
/** Slots of one page. */
const pageSlots = 8_000
/** Readings judged before other requests have a turn: a few milliseconds. */
const readingsPerTurn = 500
/** A replay ends after this time with what it has, ms. */
const replayMsMax = requestPools.replays.workMsMax
/** A reading may arrive before its slot by our clock: an agent's clock may be 60 s ahead (S-711). */
const aheadMsMax = 65_000

export type ReplayContext = Pick<AccountContext, 'sql' | 'clickhouse' | 'rules' | 'now' | 'log'> & {
  /** One replay of an account at a time. */
  readonly replays: Turns
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
  const unfit = isStored ? null : refuseStatusRule(body.statusRule, check.regions)
  if (unfit !== null) return unfit
  const span = spanOf(check, context.rules.tiers[caller.tier].rawDays, nowMs)
  const quarantines = await findQuarantinedSpans(context.meshSql, span.readFromMs)
  const bursts = await findBursts(context.meshSql, span.readFromMs)
  const { id: checkId, accountId, name } = check
  const history = { check: { checkId, accountId, name, host: null }, revisions, quarantines, bursts }
  try {
    return await takeTurn(context.replays, accountId, () =>
      replayBoth(context, { check, history, span }, body.statusRule),
    )
  } catch (error) {
    if (!(error instanceof StoreBusy)) throw error
    return refuse('SV-9002', { message: busy, retryAfterSeconds: 10 })
  }
}

const noRule = 'A heartbeat has no status rule: its deadline decides.'
const busy = 'Another replay of this account, or of others, is under way. Retry in 10 s.'

type Span = { readFromMs: number; fromMs: number; toMs: number; cut: RuleReplay['cut'] }

/** The time to replay: as much of 30 days as is stored and can be judged. Pure. */
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

type Work = { check: CheckRecord; history: ReplayedHistory; span: Span }

const replayBoth = async (
  context: ReplayContext,
  { check, history, span }: Work,
  tried: StatusRule,
): Promise<RuleReplay | Refusal> => {
  const current = check.statusRule ?? defaultStatusRule
  const changes: Record<'current' | 'tried', StatusChange[]> = { current: [], tried: [] }
  const replays = [
    createReplay(history, current, (change) => changes.current.push(change)),
    createReplay(history, tried, (change) => changes.tried.push(change)),
  ]
  const counted = await judgeStored(context, { check, span }, async (arrived) => {
    for (const [index, each] of arrived.entries()) {
      if (index % readingsPerTurn === readingsPerTurn - 1) await nextTurn()
      for (const replay of replays) replay.judge(each)
    }
  })
  if (isRefusal(counted)) return counted
  const toMs = counted.untilMs
  for (const replay of replays) replay.passUntil(toMs)
  const isPausedAt = (atMs: number): boolean =>
    history.revisions.findLast(({ validFromMs }) => validFromMs <= atMs)?.paused === true
  const describe = (rule: StatusRule, made: readonly StatusChange[]): ReplayedRule => ({
    rule,
    text: statusRuleText(rule, check.regions.length),
    ...sumUp(made, { fromMs: span.fromMs, toMs, isPausedAt }),
  })
  return {
    from: new Date(span.fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    readings: counted.readings,
    cut: counted.cut ?? span.cut,
    current: describe(current, changes.current),
    tried: describe(tried, changes.tried),
  }
}

type Counted = { readings: number; untilMs: number; cut: RuleReplay['cut'] }

/** Reads pages in the order of slots, and hands readings on in the order of their arrival, until a limit is reached. */
const judgeStored = async (
  context: ReplayContext,
  { check, span }: Omit<Work, 'history'>,
  judge: (arrived: readonly ArrivedReading[]) => Promise<void>,
): Promise<Counted | Refusal> => {
  const { clickhouse } = context
  const beganMs = performance.now()
  const pageMs = (pageSlots * check.intervalSeconds * 1_000) / Math.max(1, check.regions.length)
  let readings = 0
  /** Read, but others may have arrived before. */
  let waiting: ArrivedReading[] = []
  for (let fromMs = span.readFromMs; fromMs < span.toMs; fromMs += pageMs) {
    const toMs = Math.min(fromMs + pageMs, span.toMs)
    const page = await queryClickHouse(context, check.accountId, () =>
      findArrivals(clickhouse, { checkId: check.id, fromMs, toMs }),
    )
    if (isRefusal(page)) return page
    const tooMany = page === null || readings + page.length > replayReadingsMax
    const isLate = performance.now() - beganMs > (context.replayMsMax ?? replayMsMax)
    if (tooMany || isLate) {
      const untilMs = Math.max(span.fromMs, fromMs - aheadMsMax)
      return { readings, untilMs, cut: tooMany ? 'readings' : 'time' }
    }
    readings += page.length
    const isLast = toMs >= span.toMs
    const known = [...waiting, ...page].toSorted(byArrival)
    const settledMs = isLast ? span.toMs : toMs - aheadMsMax
    const settled = known.findIndex(({ atMs }) => atMs > settledMs)
    waiting = settled < 0 ? [] : known.slice(settled)
    await judge(settled < 0 ? known : known.slice(0, settled))
  }
  return { readings, untilMs: span.toMs, cut: null }
}
