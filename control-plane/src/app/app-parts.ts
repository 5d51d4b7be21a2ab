import type { Bus } from '@probe-mesh/bus/port'
import type { PresencePace } from '@probe-mesh/contracts/mesh/subjects'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import type { AccountRules } from '../accounts/operations/context.ts'
import type { CheckContext } from '../checks/check-context.ts'
import type { ChannelContext } from '../notifications/channels/channels.ts'
import { createExpiringCache } from '@probe-mesh/runtime/expiring-cache'
import { createProbeCounts, type ObjectiveContext } from '../objectives/objective-states.ts'
import type { AccountFigures } from '../overview/context.ts'
import { heartbeatWatchOf } from '../heartbeats/heartbeat-watch-store.ts'
import { targetCountsOf } from '../targets/target-counts.ts'
import type { ImportReader } from '../imports/import-reader.ts'
import type { LogoEncoder } from '../status-pages/logo/logo-encoder.ts'
import type { AnswersContext } from '../public-answers/answers/context.ts'
import type { Config } from './config.ts'
import type { DeviceMarks } from '../login/device-marks.ts'
import type { StreamLag } from '../mesh/get-mesh.ts'
import type { MeshWatch } from '../mesh/mesh-watch.ts'
import type { RunIds } from '../mesh/relay/run-ids.ts'
import type { AssignmentSealer } from '../secrets/seal-assignments.ts'
import type { TellReaders } from '../secrets/readers.ts'
import { tellReaders } from '../notifications/reader-mail.ts'
import type { Freshen } from '../status/live-states.ts'
import type { RequestShares } from '../stores/request-shares.ts'
import type { UnsubscribeTokens } from '../accounts/link-tokens.ts'
import type { Certificate } from '../http/tls-options.ts'
import type { DegradableParts } from './degradations.ts'
import type { Reachability, ReadinessProbes } from './health.ts'
import { createReplayThreads, type ReplayThreads } from '../mesh/replay/replay-threads.ts'

/** The capabilities of all operations of an account. */
export type AppContext = CheckContext &
  ChannelContext &
  AccountFigures &
  ObjectiveContext & {
    readonly logos: LogoEncoder
    readonly imports: ImportReader
    readonly replays: ReplayThreads
    readonly tellReaders: TellReaders
    /** Signs links that need no login. */
    readonly tokens: UnsubscribeTokens
  }

/** What the app needs. The caller closes these after the app. */
export type AppCapabilities = Pick<AppContext, 'clickhouse' | 'vault' | 'channelSender'> & {
  /** Sees every account: for keys, pings and loops. */
  sql: AppContext['sql']
  /** Sees one account at a time: for verbs. */
  accountSql: AppContext['sql']
  bus: Pick<Bus, 'runs' | 'events' | 'presence' | 'errors' | 'readings' | 'persisted'>
  /** The lag of the partitions that this control plane owns. */
  streamLag?: StreamLag
  /** Closed with the app. Absent: the app starts its own. */
  meshWatch?: MeshWatch
  answers: AnswersContext
  /** Absent: answers are from the rows alone. */
  freshen?: Freshen
  tokens: UnsubscribeTokens
  marks: DeviceMarks
  /** Seals the secrets of checks for their agents. */
  sealer: AssignmentSealer
  relayRunIds: RunIds
  now: () => number
  /** Replaces the clock of the database in tests, where `now` is arbitrary. */
  databaseNow?: () => number
  /** Replaces the pace at which agents are listed in tests. */
  presencePace?: PresencePace | undefined
  /** Replaces the pace at which the keys and sessions of event streams are checked in tests, ms. */
  streamRecheckMs?: number | undefined
  /** Replaces the maximum wait for a budget in tests, where Postgres may be slow, ms. */
  budgetQueryMsMax?: number
  /** Replaces the limit of error events of a project per second in tests and benchmarks. */
  errorEventsPerSecond?: number
  /** Replaces `budgetScale` for error events in tests and benchmarks. */
  errorScale?: number
  /** Replaces `rateLimits.keylessPerMinute` in benchmarks, which send from one address. */
  keylessPerMinute?: number
  /** Replaces the limit of concurrent requests in tests. */
  requestsUnderWayMax?: number
  /** Replaces the number of places for accounts at their floor in tests. */
  requestFloorPlaces?: number
  log: Logger
  registry: Registry
  readiness: ReadinessProbes
  /** Parts that `/readyz` lists as degraded and does not fail for. */
  degradable?: DegradableParts
  reach?: Reachability
  /** `local` if all regions are measured from this machine. */
  vantage: AccountRules['vantage']
  /** PEM. Absent: the server answers without TLS. */
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
  Partial<Pick<Config, 'metricsToken' | 'accessLog' | 'errorTracking' | 'rdapBootstrap'>>

/**
 * How long an answer of `GET /checks/:id` and its uptime stay in the cache without a change, ms. Uptime is as old as
 * on a status page at most: during an outage the two would differ visibly.
 */
const answerAgeMsMax = 1_000
const answersMax = 5_000
const uptimeAgeMsMax = 4_000
const uptimesMax = 20_000
/** How long the latencies of a page of checks are cached, ms, and how many pages of at most 500 checks. */
const latenciesAgeMsMax = 30_000
const latenciesMax = 200

/** How long the figures of a whole account are cached, ms, and of how many accounts. */
const accountUptimeAgeMsMax = 60_000
const accountLatencyAgeMsMax = 30_000
const accountFiguresMax = 2_000

/** Creates the context of account operations. */
export const createContext = (
  capabilities: AppCapabilities,
  config: AppConfig,
  {
    shares,
    isNothingMeasured,
    ...parts
  }: Pick<AppContext, 'budgets' | 'runs' | 'logos' | 'imports' | 'onWriteRepeated'> & {
    shares: RequestShares
    isNothingMeasured: () => boolean
  },
): AppContext => {
  const { sql, accountSql, vault, channelSender, now, log, vantage, tokens } = capabilities
  return {
    sql: accountSql,
    ...(capabilities.freshen !== undefined && { freshen: capabilities.freshen }),
    clickhouse: shares.clickhouse,
    answers: createExpiringCache({ now, ageMsMax: answerAgeMsMax, entriesMax: answersMax }),
    uptimes: createExpiringCache({ now, ageMsMax: uptimeAgeMsMax, entriesMax: uptimesMax }),
    latencies: createExpiringCache({ now, ageMsMax: latenciesAgeMsMax, entriesMax: latenciesMax }),
    accountUptimes: createExpiringCache({
      now,
      ageMsMax: accountUptimeAgeMsMax,
      entriesMax: accountFiguresMax,
    }),
    accountLatencies: createExpiringCache({
      now,
      ageMsMax: accountLatencyAgeMsMax,
      entriesMax: accountFiguresMax,
    }),
    probeCounts: createProbeCounts(now),
    heartbeatWatch: heartbeatWatchOf(sql),
    targets: targetCountsOf(sql, shares.targetTurns),
    replays: createReplayThreads(shares.replays),
    tellReaders: tellReaders(config.publicUrl),
    ...parts,
    vault,
    channelSender,
    tokens,
    rules: {
      regions: config.regions,
      tiers: config.tiers,
      targetAllow: config.targetAllow,
      channelAllow: config.channelAllow,
      blockedTargets: config.blockedTargets,
      targetRequestsPerMinute: config.targetRequestsPerMinute,
      vantage,
      isNothingMeasured,
      publicUrl: config.publicUrl,
      sendsMail: config.smtpUrl !== null,
      errorTracking: config.errorTracking !== 'off',
      asksRegistries: config.rdapBootstrap !== null,
    },
    now,
    log,
  }
}
