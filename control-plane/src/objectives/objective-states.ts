import { hash } from 'node:crypto'
import {
  burnWindows,
  latencyChecksMax,
  windowDays,
  type BurnWindow,
  type Objective,
  type ObjectiveInput,
  type ObjectiveState,
} from '@probe-mesh/contracts/objective/objective'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import type { Revision } from '@probe-mesh/contracts/reading/slots'
import { createExpiringCache, type ExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { findRevisionsOf } from '../records/check/check-revisions-store.ts'
import { queryClickHouse } from '../accounts/operations/query-clickhouse.ts'
import type { AccountContext } from '../accounts/operations/context.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import { describeBurns, errorBudget, type Probed } from './error-budget.ts'
import { findObjectives, type FoundObjective } from './objectives-store.ts'
import {
  noProbes,
  probeCountsOf,
  windowFromMs,
  type CountedWindow,
  type ProbeCounts,
} from './probe-counts-query.ts'

/**
 * The counts of all checks that objectives of an account name, by the latency that their objectives allow (null: any),
 * when they were due, and when they were read. A latency whose probes cannot be counted is missing.
 */
export type CountedProbes = {
  counts: ReadonlyMap<number | null, ReadonlyMap<string, ProbeCounts>>
  revisions: ReadonlyMap<string, readonly Revision[]>
  atMs: number
}

/** `probeCounts` keeps them: by account and checks. */
export type ObjectiveContext = Pick<AccountContext, 'sql' | 'freshen' | 'clickhouse' | 'now' | 'log'> & {
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
    latencyMsMax: objective.latencyMsMax,
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
  const key = `${accountId} ${hash('sha256', JSON.stringify(groupsOf(objectives)), 'base64url')}`
  const known = context.probeCounts.peek(key)
  if (known !== undefined) return known
  return context.probeCounts.load(key, accountId, async () => {
    const value = await countProbesNow(context, accountId, objectives)
    return { keep: value, value }
  })
}

type Counted = Pick<FoundObjective, 'checkIds' | 'windowDays' | 'latencyMsMax'>

/** The checks of objectives by the latency that these allow, without those that name too many checks for one. */
const groupsOf = (objectives: readonly Counted[]) =>
  [...Map.groupBy(objectives.filter(isCountable), ({ latencyMsMax }) => latencyMsMax)]
    .map(([latencyMsMax, group]) => ({
      latencyMsMax,
      checkIds: [...new Set(group.flatMap(({ checkIds }) => checkIds))].toSorted(),
      longestDays: Math.max(...group.map(({ windowDays }) => windowDays)),
    }))
    .toSorted((a, b) => (a.latencyMsMax ?? 0) - (b.latencyMsMax ?? 0))

const isCountable = ({ latencyMsMax, checkIds }: Counted): boolean =>
  latencyMsMax === null || checkIds.length <= latencyChecksMax

/** The counts of all checks of these objectives, not from the cache; null where ClickHouse cannot answer. */
export const countProbesNow = async (
  context: Pick<AccountContext, 'sql' | 'clickhouse' | 'now' | 'log'>,
  accountId: string,
  objectives: readonly Counted[],
): Promise<CountedProbes | null> => {
  const atMs = context.now()
  const counts = new Map<number | null, ReadonlyMap<string, ProbeCounts>>()
  const groups = groupsOf(objectives)
  for (const group of groups) {
    const counted = await countGroup(context, accountId, group, atMs)
    // the others would wait as long
    if (counted === null) break
    counts.set(group.latencyMsMax, counted)
  }
  if (counts.size === 0 && groups.length > 0) return null
  const checkIds = [...new Set(groups.flatMap((group) => group.checkIds))]
  // the last three days at least, for burn rates
  const longest = Math.max(windowDays[0], ...groups.map(({ longestDays }) => longestDays))
  const fromMs = windowFromMs(`${longest as ObjectiveInput['windowDays']}d`, atMs)
  const found = await inAccount(context.sql, accountId, (tx) => findRevisionsOf(tx, checkIds, fromMs))
  return { counts, revisions: Map.groupBy(found, ({ checkId }) => checkId), atMs }
}

const countGroup = async (
  context: Pick<AccountContext, 'clickhouse' | 'log'>,
  accountId: string,
  group: ReturnType<typeof groupsOf>[number],
  atMs: number,
): Promise<ReadonlyMap<string, ProbeCounts> | null> => {
  const deadline = AbortSignal.timeout(countMsMax)
  const counts = await queryClickHouse(context, accountId, () =>
    probeCountsOf(context.clickhouse, group, atMs, deadline),
  ).catch((error: unknown) => {
    if (!deadline.aborted) throw error
    context.log.warn({ err: error }, 'ClickHouse did not answer in time; objectives have no state')
    return null
  })
  return isRefusal(counts) ? null : counts
}

/** The state of an objective: all probes of its checks count the same; null: they were not counted. */
export const stateOf = (
  objective: Counted & Pick<FoundObjective, 'target'>,
  { counts, revisions, atMs }: CountedProbes,
): ObjectiveState | null => {
  const { target, windowDays: days, checkIds, latencyMsMax } = objective
  const found = counts.get(latencyMsMax)
  if (found === undefined || !isCountable(objective)) return null
  const own = checkIds.map((id) => ({
    counted: found.get(id) ?? noProbes,
    revisions: revisions.get(id) ?? [],
  }))
  const sum = (window: CountedWindow): Probed => {
    const probed = own.map(({ counted, revisions }) => ({ ...counted[window], revisions }))
    return {
      up: probed.reduce((total, { up }) => total + up, 0),
      down: probed.reduce((total, { down }) => total + down, 0),
      share: probedShare(probed, windowFromMs(window, atMs), atMs),
    }
  }
  const window = `${days}d` as const
  const [whole, burns] = [sum(window), mapWindows(sum)]
  const firstMs = own.flatMap(({ counted }) => counted[window].firstMs ?? [])
  return {
    at: new Date(atMs).toISOString(),
    checks: checkIds.length,
    judged: whole.up + whole.down,
    failed: whole.down,
    judgedSince: firstMs.length === 0 ? null : new Date(Math.min(...firstMs)).toISOString(),
    measuredShare: whole.share,
    ...errorBudget({ target, windowDays: days }, whole),
    ...describeBurns({ target, windowDays: days }, burns),
    burnMeasuredShares: mapWindows((each) => burns[each].share),
  }
}

const mapWindows = <T>(of: (window: BurnWindow) => T): Record<BurnWindow, T> =>
  Object.fromEntries(burnWindows.map((window) => [window, of(window)])) as Record<BurnWindow, T>

/** What is known of a check in a window: the judged probes of the region that has the most, and when it was due. */
type ProbedCheck = { most: number; revisions: readonly Revision[] }

/**
 * The share of [fromMs, toMs) in which the checks were probed and judged, 0 to 1, by the region of each that measured
 * the most: a region that is refused hides nothing that another one saw. Truncated, since a window with a gap is not
 * measured as a whole.
 */
const probedShare = (checks: readonly ProbedCheck[], fromMs: number, toMs: number): number => {
  let [due, judged, longestMs] = [0, 0, 0]
  for (const { most, revisions } of checks) {
    const { slots, activeMs } = dueIn(revisions, fromMs, toMs)
    due += slots
    // more than are due in one check hide none that is missing in another
    judged += Math.min(most, slots)
    longestMs = Math.max(longestMs, activeMs)
  }
  return due === 0 ? 0 : Math.floor((longestMs / (toMs - fromMs)) * (judged / due) * 1e6) / 1e6
}

/** The slots of one region, as a number of intervals, and the time in which they were due. */
const dueIn = (revisions: readonly Revision[], fromMs: number, toMs: number) => {
  let [slots, activeMs] = [0, 0]
  for (const { validFromMs, validToMs, intervalSeconds, paused, regions } of revisions) {
    const ms = Math.min(toMs, validToMs ?? toMs) - Math.max(fromMs, validFromMs)
    if (paused || regions.length === 0 || ms <= 0) continue
    slots += ms / (intervalSeconds * 1_000)
    activeMs += ms
  }
  return { slots, activeMs }
}
