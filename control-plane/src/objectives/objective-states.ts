import { hash } from 'node:crypto'
import type { Objective, ObjectiveState } from '@probe-mesh/contracts/objective/objective'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import type { ExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { queryClickHouse } from '../operations/query-clickhouse.ts'
import type { AccountContext } from '../operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { describeBurns, errorBudget } from './error-budget.ts'
import type { Counts } from './error-budget.ts'
import { findObjectives } from './objectives-store.ts'
import type { FoundObjective } from './objectives-store.ts'
import { noProbes, probeCountsOf } from './probe-counts-query.ts'
import type { CountedWindow, ProbeCounts } from './probe-counts-query.ts'

/** The counts of all checks that objectives of an account name, and when they were read. */
export type CountedProbes = { counts: ReadonlyMap<string, ProbeCounts>; atMs: number }

/** `probeCounts` keeps them: by account and checks. */
export type ObjectiveContext = Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'> & {
  readonly probeCounts: ExpiringCache<CountedProbes>
}

/** How long the probes of an account's objectives stay counted, ms, and of how many sets of checks. */
const probeCountsAgeMsMax = 60_000
const probeCountsMax = 100

export const createProbeCounts = (now: () => number): ObjectiveContext['probeCounts'] =>
  createExpiringCache({ now, ageMsMax: probeCountsAgeMsMax, entriesMax: probeCountsMax })

/** Beyond this, objectives are shown without a state. */
const countMsMax = 3_000

/** The objectives of an account by name, with their states; null where ClickHouse cannot answer. */
export const readObjectives = async (context: ObjectiveContext, accountId: string): Promise<Objective[]> => {
  const found = await inAccount(context.sql, accountId, (tx) => findObjectives(tx, accountId))
  const counted = await countProbes(context, accountId, found)
  return found.map((objective) => ({
    id: objective.id,
    name: objective.name,
    target: objective.target,
    windowDays: objective.windowDays,
    checkId: objective.checkId,
    tag: objective.tag,
    alertRuleId: objective.alertRuleId,
    alerts: objective.alerts.map(({ long, sinceMs }) => ({ long, since: new Date(sinceMs).toISOString() })),
    checkName: objective.checkName,
    state: counted === null ? null : stateOf(objective, counted),
  }))
}

const countProbes = async (
  context: ObjectiveContext,
  accountId: string,
  objectives: readonly FoundObjective[],
): Promise<CountedProbes | null> => {
  const { ids, longestDays } = countedOf(objectives)
  if (ids.length === 0) return { counts: new Map(), atMs: context.now() }
  const key = `${accountId} ${longestDays} ${hash('sha256', ids.join(), 'base64url')}`
  const known = context.probeCounts.peek(key)
  if (known !== undefined) return known
  return context.probeCounts.load(key, accountId, async () => {
    const value = await countProbesNow(context, accountId, objectives)
    return { keep: value, value }
  })
}

const countedOf = (objectives: readonly Pick<FoundObjective, 'checkIds' | 'windowDays'>[]) => ({
  ids: [...new Set(objectives.flatMap(({ checkIds }) => checkIds))].toSorted(),
  longestDays: Math.max(0, ...objectives.map(({ windowDays }) => windowDays)),
})

/** The counts of all checks of these objectives, not from the cache; null where ClickHouse cannot answer. */
export const countProbesNow = async (
  context: Pick<AccountContext, 'clickhouse' | 'now' | 'log'>,
  accountId: string,
  objectives: readonly Pick<FoundObjective, 'checkIds' | 'windowDays'>[],
): Promise<CountedProbes | null> => {
  const { ids, longestDays } = countedOf(objectives)
  const atMs = context.now()
  if (ids.length === 0) return { counts: new Map(), atMs }
  const deadline = AbortSignal.timeout(countMsMax)
  const counts = await queryClickHouse(context, accountId, () =>
    probeCountsOf(context.clickhouse, { checkIds: ids, longestDays }, atMs, deadline),
  ).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'ClickHouse did not answer in time; objectives have no state')
    return null
  })
  return counts === null || isRefusal(counts) ? null : { counts, atMs }
}

/** The state of an objective: all probes of its checks count the same. Pure. */
export const stateOf = (
  { target, windowDays, checkIds }: Pick<FoundObjective, 'target' | 'windowDays' | 'checkIds'>,
  { counts, atMs }: CountedProbes,
): ObjectiveState => {
  const own = checkIds.map((id) => counts.get(id) ?? noProbes)
  const sum = (window: CountedWindow): Counts => ({
    up: own.reduce((total, counted) => total + counted[window].up, 0),
    down: own.reduce((total, counted) => total + counted[window].down, 0),
  })
  const window = `${windowDays}d` as const
  const whole = sum(window)
  const firstMs = own.flatMap((counted) => counted[window].firstMs ?? [])
  return {
    at: new Date(atMs).toISOString(),
    checks: checkIds.length,
    judged: whole.up + whole.down,
    failed: whole.down,
    judgedSince: firstMs.length === 0 ? null : new Date(Math.min(...firstMs)).toISOString(),
    ...errorBudget({ target, windowDays }, whole),
    ...describeBurns(target, {
      '5m': sum('5m'),
      '30m': sum('30m'),
      '1h': sum('1h'),
      '6h': sum('6h'),
      '3d': sum('3d'),
    }),
  }
}
