import type { Bus } from '@probe-mesh/bus/port'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { AccountRules } from '../operations/context.ts'
import type { CheckContext } from '../checks/check-context.ts'
import type { ChannelContext } from '../notifications/channels/channels.ts'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { heartbeatWatchOf } from '../heartbeats/heartbeat-watch-store.ts'
import { targetCountsOf } from '../targets/target-counts.ts'
import type { AnswersContext } from '../outage/answers/context.ts'
import type { Config } from './config.ts'
import type { Marks } from '../login/marks.ts'
import type { StreamLag } from '../mesh/get-mesh.ts'
import type { MeshWatch } from '../mesh/mesh-watch.ts'
import type { RunIds } from '../mesh/relay/run-ids.ts'
import type { RequestShares } from '../stores/request-shares.ts'
import type { UnsubscribeTokens } from '../subscribers/subscriber-tokens.ts'
import type { Certificate } from '../http/by-tls.ts'
import type { DegradableParts } from './degradations.ts'
import type { Reachability, ReadinessProbes } from './health.ts'

/** The capabilities of all operations of an account. */
export type AppContext = CheckContext & ChannelContext

/** What the app works with. Whoever makes these closes them, after the app. */
export type AppCapabilities = Pick<AppContext, 'clickhouse' | 'vault' | 'channelSender'> & {
  /** Sees every account: for keys, pings and what loops do. */
  sql: AppContext['sql']
  /** Sees one account at a time: for verbs. */
  accountSql: AppContext['sql']
  bus: Pick<Bus, 'runs' | 'events' | 'presence' | 'errors' | 'readings' | 'persisted'>
  /** Of the partitions that this control plane has. */
  streamLag?: StreamLag
  /** Closed with the app; absent: it starts one of its own. */
  meshWatch?: MeshWatch
  answers: AnswersContext
  tokens: UnsubscribeTokens
  marks: Marks
  relayRunIds: RunIds
  now: () => number
  /** Stands for the clock of the database in tests, where `now` may be any. */
  databaseNow?: () => number
  /** Stands for how long a call waits for its budget in tests, where Postgres may be slow. */
  budgetQueryMsMax?: number
  /** Stands for how many error events a project may send in a second, in tests and benches. */
  errorEventsPerSecond?: number
  /** Stands for `budgetScale` of error events' shares of the month and costs, in tests and benches. */
  errorScale?: number
  /** Stands for `limits.keylessPerMinute` in benches, which ask from one address. */
  keylessPerMinute?: number
  /** Stands for how many requests may be under way, in tests. */
  requestsUnderWayMax?: number
  /** Stands for how many of accounts at their floor may be under way besides, in tests. */
  requestFloorPlaces?: number
  log: Logger
  registry: Registry
  readiness: ReadinessProbes
  /** Parts whose absence `/readyz` names and does not refuse for. */
  degradable?: DegradableParts
  reach?: Reachability
  /** `local` when every region is measured from this one machine. */
  vantage: AccountRules['vantage']
  /** PEM; absent: it answers without TLS. */
  tls?: Certificate | null
}

export type AppConfig = Pick<
  Config,
  | 'regions'
  | 'tiers'
  | 'targetAllow'
  | 'channelAllow'
  | 'blockedTargets'
  | 'targetRequestsPerMinute'
  | 'contactUrl'
  | 'trustProxy'
  | 'budgetScale'
  | 'gatewayKey'
  | 'publicUrl'
  | 'allowedHosts'
  | 'mcpUrl'
  | 'signUp'
  | 'smtpUrl'
> &
  Partial<Pick<Config, 'metricsToken'>>

/** How old an answer of `GET /checks/:id` and its uptime may be where nothing was seen to change. */
const answerAgeMsMax = 1_000
const answersMax = 5_000
const uptimeAgeMsMax = 30_000
const uptimesMax = 20_000

/** What the operations of accounts work with. */
export const createContext = (
  capabilities: AppCapabilities,
  config: AppConfig,
  {
    shares,
    ...parts
  }: Pick<AppContext, 'budgets' | 'runs' | 'onWriteRepeated'> & {
    shares: RequestShares
  },
): AppContext => {
  const { sql, accountSql, vault, channelSender, now, log, vantage } = capabilities
  return {
    sql: accountSql,
    clickhouse: shares.clickhouse,
    answers: createExpiringCache({ now, ageMsMax: answerAgeMsMax, entriesMax: answersMax }),
    uptimes: createExpiringCache({ now, ageMsMax: uptimeAgeMsMax, entriesMax: uptimesMax }),
    heartbeatWatch: heartbeatWatchOf(sql),
    targets: targetCountsOf(sql, shares.targetTurns),
    ...parts,
    vault,
    channelSender,
    rules: {
      regions: config.regions,
      tiers: config.tiers,
      targetAllow: config.targetAllow,
      channelAllow: config.channelAllow,
      blockedTargets: config.blockedTargets,
      targetRequestsPerMinute: config.targetRequestsPerMinute,
      vantage,
      publicUrl: config.publicUrl,
    },
    now,
    log,
  }
}
