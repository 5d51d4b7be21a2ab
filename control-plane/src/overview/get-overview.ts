import {
  activityMax,
  attentionItemsMax,
  overviewOpenMax,
  type Overview,
  type Attention,
} from '@probe-mesh/contracts/overview/overview'
import { isRefusal } from '@probe-mesh/contracts/schema/refusal'
import { findUnreachedChecks, type Unreached } from '../alerts/reach.ts'
import { findReleaseMarks } from '@probe-mesh/error-tracking/feature'
import type { MeshContext } from '../mesh/get-mesh.ts'
import { hasNoAgent, stateOfAgent, type AgentState, type RegionSightings } from '../mesh/sightings.ts'
import type { Caller } from '../accounts/operations/context.ts'
import { queryClickHouse } from '../accounts/operations/query-clickhouse.ts'
import { describeOutages } from './outages/list-outages.ts'
import { findOpenSpan, findWorstOutages } from './outages/outages-store.ts'
import { findOpenQuarantines } from '../status/quarantine/quarantines-store.ts'
import { inAccount } from '../stores/postgres/in-account.ts'
import type { Transaction } from '../stores/postgres/connect.ts'
import { accountLatencyOf, findLatencyChecks, type AccountLatency } from './account-latency.ts'
import { findAccountUptime, type AccountUptime } from './account-uptime.ts'
import { findNewestFlips, findRecentWindows } from './activity-store.ts'
import { findAttention, type AccountAttention } from './attention-store.ts'
import type { OverviewContext } from './context.ts'
import { countOpen } from './get-counts.ts'
import { countChecksByRegion, summariseChecks } from './summary-store.ts'
import type { HeartbeatWatch } from '../heartbeats/outage.ts'
import { isoText } from '../stores/postgres/epoch-ms.ts'

type Found = Pick<Attention, 'count' | 'items'>

/** Things that need a person, worst first; empty kinds are left out. */
const attentionOf = (
  account: AccountAttention,
  checks: { stale: Found; neverMeasured: Found; unreached: Unreached },
): Attention[] => {
  const { unreached } = checks
  const isSilent = !account.hasChannel && !unreached.mailsPeople
  const kinds: readonly [Attention['kind'], Found][] = [
    ['no_channel', isSilent ? unreached : none],
    ['no_receiver', isSilent ? none : unreached],
    ['channel_failing', account.failingChannels],
    ['stale', checks.stale],
    ['never_measured', checks.neverMeasured],
    ['certificate_expiring', account.certificates],
    ['domain_expiring', account.domains],
    ['channel_unverified', account.unverifiedChannels],
    ['never_pinged', account.neverPinged],
  ]
  return kinds.flatMap(([kind, { count, items }]) => (count === 0 ? [] : [{ kind, count, items }]))
}

const none: Found = { count: 0, items: [] }

const dayMs = 86_400_000
/** Beyond this, the overview has no latency. */
const latencyMsMax = 1_500

/** The state of an account: open problems, things that need attention, and the last 24 hours. */
export const getOverview = async (
  context: OverviewContext,
  mesh: MeshContext,
  { accountId }: Pick<Caller, 'accountId'>,
): Promise<Overview> => {
  const watch = await context.heartbeatWatch()
  const [read, uptime, latency, quarantines] = await Promise.all([
    inAccount(context.sql, accountId, (tx) =>
      readAccount(tx, accountId, { watch, sendsMail: context.rules.sendsMail }, context.now()),
    ),
    accountUptime(context, accountId, watch),
    accountLatency(context, accountId),
    findOpenQuarantines(mesh.sql),
  ])
  const nowMs = context.now()
  const quarantined = new Set(quarantines.map(({ region }) => region))
  const { checksByRegion, ...shown } = read
  return {
    at: new Date(nowMs).toISOString(),
    vantage: context.rules.vantage,
    ...shown,
    uptime: { month: uptime.month, at: new Date(uptime.atMs).toISOString() },
    latency:
      latency === null
        ? null
        : {
            p50Ms: latency.p50Ms,
            p95Ms: latency.p95Ms,
            checks: latency.checks,
            at: new Date(latency.atMs).toISOString(),
          },
    regions: (mesh.watch()?.regions() ?? []).map((seen) => ({
      ...describeRegion(seen, quarantined.has(seen.region), nowMs),
      checks: checksByRegion.get(seen.region) ?? 0,
      p50Ms: latency?.byRegion.get(seen.region) ?? null,
    })),
  }
}

type ReadAccount = Pick<Overview, 'checks' | 'openOutages' | 'openIncidents' | 'attention' | 'activity'> & {
  checksByRegion: ReadonlyMap<string, number>
}

const readAccount = async (
  tx: Transaction,
  accountId: string,
  { watch, sendsMail }: { watch: HeartbeatWatch; sendsMail: boolean },
  nowMs: number,
): Promise<ReadAccount> => {
  const sinceMs = nowMs - dayMs
  const [summary, counts, worst, newest, attention, unreached, flips, releases, maintenance, checksByRegion] =
    await Promise.all([
      summariseChecks(tx, accountId, nowMs),
      countOpen(tx, accountId, nowMs),
      findWorstOutages(tx, accountId, overviewOpenMax),
      findOpenIncidents(tx, accountId),
      findAttention(tx, accountId, nowMs),
      findUnreachedChecks(tx, accountId, sendsMail, attentionItemsMax),
      findNewestFlips(tx, accountId, sinceMs),
      findReleaseMarks(tx, accountId, { sinceMs, untilMs: nowMs }, activityMax),
      findRecentWindows(tx, accountId, { sinceMs, nowMs }),
      countChecksByRegion(tx, accountId),
    ])
  const { byStatus, stale, neverMeasured, neverMeasuredCount } = summary
  return {
    checks: { total: Object.values(byStatus).reduce((sum, count) => sum + count, 0), byStatus },
    openOutages: {
      total: counts.openOutages,
      worst: await describeOutages(tx, worst, watch, nowMs),
      ...(await findOpenSpan(tx, accountId)),
    },
    openIncidents: { total: counts.openIncidents, newest },
    attention: attentionOf(attention, {
      stale: { count: byStatus.stale ?? 0, items: stale },
      neverMeasured: { count: neverMeasuredCount, items: neverMeasured },
      unreached,
    }),
    activity: {
      from: new Date(sinceMs).toISOString(),
      flips: flips.flips,
      moreFlips: flips.more,
      releases,
      maintenance,
    },
    checksByRegion,
  }
}

const findOpenIncidents = async (
  tx: Transaction,
  accountId: string,
): Promise<Overview['openIncidents']['newest']> => {
  return await tx<Overview['openIncidents']['newest']>`
    select id, status_page_id as "statusPageId", check_id as "checkId", title, status, source,
      ${isoText(tx, 'started_at')} as "startedAt"
    from incidents where account_id = ${accountId} and resolved_at is null
    order by started_at desc, id desc limit ${overviewOpenMax}`
}

const accountUptime = async (
  { sql, accountUptimes, now }: OverviewContext,
  accountId: string,
  watch: HeartbeatWatch,
): Promise<AccountUptime> =>
  accountUptimes.peek(accountId) ??
  accountUptimes.load(accountId, '', async () => {
    const value = await inAccount(sql, accountId, (tx) => findAccountUptime(tx, accountId, watch, now()))
    return { keep: value, value }
  })

/** null: ClickHouse did not answer in time. */
const accountLatency = async (context: OverviewContext, accountId: string): Promise<AccountLatency | null> =>
  context.accountLatencies.peek(accountId) ??
  context.accountLatencies.load(accountId, '', async () => {
    const checkIds = await inAccount(context.sql, accountId, (tx) => findLatencyChecks(tx, accountId))
    const deadline = AbortSignal.timeout(latencyMsMax)
    const found = await queryClickHouse(context, accountId, () =>
      accountLatencyOf(context.clickhouse, checkIds, context.now(), deadline),
    ).catch((error: unknown) => {
      if (!deadline.aborted) throw error
      context.log.warn({ err: error }, 'ClickHouse did not answer in time; the overview has no latency')
      return null
    })
    const value = found === null || isRefusal(found) ? null : found
    return { keep: value, value }
  })

type RegionOverview = Omit<Overview['regions'][number], 'checks' | 'p50Ms'>

const describeRegion = (seen: RegionSightings, isQuarantined: boolean, nowMs: number): RegionOverview => {
  const counts: Record<AgentState, number> = { there: 0, gone: 0, unknown: 0 }
  for (const agent of seen.agents.values()) counts[stateOfAgent(seen, agent, nowMs)]++
  const agents = { online: counts.there, offline: counts.gone, unknown: counts.unknown }
  return { region: seen.region, state: stateOf(seen, agents, isQuarantined, nowMs), agents }
}

const stateOf = (
  seen: RegionSightings,
  { online }: RegionOverview['agents'],
  isQuarantined: boolean,
  nowMs: number,
): RegionOverview['state'] => {
  if (isQuarantined) return 'quarantined'
  if (online > 0) return 'online'
  return hasNoAgent(seen, nowMs) ? 'offline' : 'unknown'
}
