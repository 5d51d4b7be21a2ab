import { limits } from '@probe-mesh/contracts/limits'
import { refuse } from '@probe-mesh/contracts/refusal'
import type { Bus } from '@probe-mesh/bus/port'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'
import { followCheckChanges } from '../account/check-changes.ts'
import type { CheckChanges } from '../account/check-changes.ts'
import type { AccountContext, AccountRules } from '../account/context.ts'
import { createExpiringCache } from '../account/expiring-cache.ts'
import { heartbeatWatchOf } from '../account/heartbeat-watch.ts'
import { createKeyRing } from '../account/key-ring.ts'
import { createManualRuns } from '../account/manual-runs.ts'
import { targetCountsOf } from '../account/target-counts.ts'
import type { AnswersContext } from '../answers/context.ts'
import { createBudgets } from '../budgets/budgets.ts'
import { createErrorDoor } from '../error-accept/error-door.ts'
import { createLogin, signUpMode } from '../login/context.ts'
import type { StreamLag } from '../mesh/context.ts'
import { describeProbes } from '../mesh/describe-probes.ts'
import { startMeshWatch } from '../mesh/mesh-watch.ts'
import type { MeshWatch } from '../mesh/mesh-watch.ts'
import { startRelay } from '../relay/relay.ts'
import type { Relay } from '../relay/relay.ts'
import { createPingQueue } from '../pings/ping-queue.ts'
import { createPingRate } from '../pings/ping-rate.ts'
import { recordPings } from '../pings/record-pings.ts'
import type { Config } from '../config.ts'
import type { UnsubscribeTokens } from '../subscribers/subscriber-tokens.ts'
import { createAdmission } from './admission.ts'
import { bindAnswers } from './answers.ts'
import { boundClose } from './bounded-close.ts'
import { byTls } from './by-tls.ts'
import type { Certificate } from './by-tls.ts'
import { bindDashboard } from './dashboard.ts'
import { bindDocs } from './docs.ts'
import { bindErrorIngest } from './error-ingest.ts'
import { createEventHub } from './event-hub.ts'
import { bindDashboardEvents, bindEvents } from './events-route.ts'
import { bindHealth } from './health.ts'
import type { ReadinessProbes } from './health.ts'
import { appMetrics } from './app-metrics.ts'
import { acceptJsonOnly } from './json-body.ts'
import { bindGatewayAdmission } from './gateway-admission.ts'
import { trustGateways } from './gateway-trust.ts'
import { bindLlms } from './llms.ts'
import { createKeylessBudget } from './keyless-budget.ts'
import { refusalOfError } from './refusal-of-error.ts'
import { measureRequests } from './request-metrics.ts'
import { bindPings } from './pings-route.ts'
import { bindProbes } from './probes-route.ts'
import { bindPublicRoutes } from './public-routes.ts'
import { queueMetrics } from './queue-metrics.ts'
import { bindRelay } from './relay-routes.ts'
import { bindRoutes } from './routes.ts'
import { sendRefusal } from './send-refusal.ts'
import { bindSourceMapUpload } from './source-map-upload.ts'
import { createSessionRates } from './session-rates.ts'

/** What the app works with. Whoever makes these closes them, after the app. */
export type AppCapabilities = Pick<AccountContext, 'clickhouse' | 'vault' | 'channelSender'> & {
  /** Sees every account: for keys, pings and what loops do. */
  sql: AccountContext['sql']
  /** Sees one account at a time: for verbs. */
  accountSql: AccountContext['sql']
  bus: Pick<Bus, 'runs' | 'events' | 'presence' | 'errors' | 'readings' | 'persisted'>
  /** Of the partitions that this control plane has. */
  streamLag?: StreamLag
  answers: AnswersContext
  tokens: UnsubscribeTokens
  now: () => number
  /** Stands for the clock of the database in tests, where `now` may be any. */
  databaseNow?: () => number
  /** Stands for how long a call waits for its budget in tests, where Postgres may be slow. */
  budgetTripMsMax?: number
  /** Stands for how many error events a project may send in a second, in tests and benches. */
  errorEventsPerSecond?: number
  /** Stands for `limits.keylessPerMinute` in benches, which ask from one address. */
  keylessPerMinute?: number
  /** Stands for how many requests may be under way, in tests. */
  requestsUnderWayMax?: number
  log: Logger
  registry: Registry
  readiness: ReadinessProbes
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
  | 'blockedTargets'
  | 'targetRequestsPerMinute'
  | 'contactUrl'
  | 'trustProxy'
  | 'budgetScale'
  | 'gatewayKey'
  | 'publicUrl'
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

/** Pings of one heartbeat in any second; a job that starts, logs and ends needs few. */
const pingsPerSecondMax = 5

/** Decoded. Routes bound their parameters themselves: no request line that is taken in has more. */
const paramCharactersMax = 16_384

/** A whole request, its body included, must have arrived within this time. */
const requestMsMax = 15_000
/** Longer than the heartbeat of a stream, which is the longest silence of a healthy connection. */
const connectionIdleMsMax = 60_000
const keepAliveMsMax = 65_000

/** The control plane's HTTP side, ready to listen: `close` ends streams and what it started. */
export const createApp = (capabilities: AppCapabilities, config: AppConfig): FastifyInstance => {
  const { sql, bus, now, log, registry } = capabilities
  const app = fastify({
    logger: false,
    bodyLimit: limits.requestBodyBytesMax,
    connectionTimeout: connectionIdleMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMsMax,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    trustProxy: config.trustProxy,
    exposeHeadRoutes: true,
    return503OnClosing: true,
    frameworkErrors: (error, _request, reply) => sendRefusal(reply, refusalOfError(error).refusal),
    routerOptions: {
      maxParamLength: paramCharactersMax,
      caseSensitive: true,
      ignoreTrailingSlash: false,
    },
    ...byTls(capabilities.tls ?? null),
  })
  const keyRing = createKeyRing({ sql, now })
  const { databaseNow, budgetTripMsMax: tripMsMax } = capabilities
  const scale = config.budgetScale
  const budgets = createBudgets({ sql, now, databaseNow, tripMsMax, log, registry, scale })
  const metrics = appMetrics(registry, { streams: () => hub.size() })
  const hub = createEventHub({
    events: bus.events,
    log,
    onLagging: () => metrics.streamsLagging.inc(),
  })
  const runs = createManualRuns({
    runs: bus.runs,
    now,
    log,
    onDropped: (count) => metrics.firstReadingsDropped.inc(count),
  })
  const onWriteRepeated = (): void => metrics.writesRepeated.inc()
  const context = createContext(capabilities, config, { budgets, runs, onWriteRepeated })
  const gate = { keyRing, budgets, tiers: config.tiers }

  app.decorateRequest('caller', null)
  app.setErrorHandler((error, request, reply) => {
    const { refusal, ours } = refusalOfError(error)
    if (ours) log.error({ err: error, method: request.method, url: request.url }, 'request failed')
    return sendRefusal(reply, refusal)
  })
  app.setNotFoundHandler((_request, reply) => sendRefusal(reply, refuse('SV-3001')))
  acceptJsonOnly(app)
  boundClose(app)
  measureRequests(app, registry)
  trustGateways(app, { gatewayKey: config.gatewayKey, registry })
  const probes = { ...capabilities.readiness, error_keys: () => door.isReady() }
  bindHealth(app, { probes, registry, metricsToken: config.metricsToken ?? null, log, now })
  bindDocs(app, config)
  bindLlms(app, config)
  const admission = createAdmission({ registry, max: capabilities.requestsUnderWayMax })
  bindRoutes(app, context, gate, admission)
  const login = createLogin({ sql, now, publicUrl: config.publicUrl, signUp: signUpMode(config) })
  const sessionGate = { login, rates: createSessionRates(now) }
  let watch: MeshWatch | null = null
  const { vantage, streamLag } = capabilities
  const mesh = { sql, now, vantage, streamLag: streamLag ?? null, watch: () => watch }
  bindProbes(app, () => describeProbes(watch?.regions() ?? [], { ...config, vantage }, now()))
  bindDashboard(app, { account: context, login, mesh }, sessionGate)
  bindEvents(app, hub, gate)
  bindDashboardEvents(app, hub, sessionGate)
  const perMinute = capabilities.keylessPerMinute ?? limits.keylessPerMinute
  const keyless = { context: capabilities.answers, budget: createKeylessBudget({ now, perMinute }) }
  bindAnswers(app, { ...keyless, gate, admission })
  bindGatewayAdmission(app, { gate, budget: keyless.budget })
  const { tokens } = capabilities
  bindPublicRoutes(app, { sql, tokens, publicUrl: config.publicUrl, now, registry, vantage })
  const pings = createPingQueue((batch) => recordPings({ sql, now }, batch))
  queueMetrics(registry, { pings: () => pings, passwords: () => login.hashing })
  bindPings(app, {
    queue: pings,
    rate: createPingRate({ now, limit: pingsPerSecondMax }),
    log,
    now,
  })

  const { errorEventsPerSecond: eventsPerSecond } = capabilities
  const { tiers } = config
  const door = createErrorDoor({ sql, bus, tiers, eventsPerSecond, registry, log, now })
  bindErrorIngest(app, { door, log })
  bindSourceMapUpload(app, context, gate)

  let relay: Relay | null = null
  bindRelay(app, { sql, relay: () => relay })

  let changes: CheckChanges | null = null
  app.addHook('onReady', async () => {
    await hub.start()
    await door.start()
    relay = await startRelay({ sql, bus, registry, now, log })
    watch = startMeshWatch({ presence: bus.presence, regions: config.regions, now, log })
    changes = await followCheckChanges(
      { sql, events: bus.events },
      {
        onChange: context.answers.drop,
        onFlip: (checkId) => {
          context.answers.drop(checkId)
          context.uptimes.drop(checkId)
        },
        onMissed: context.answers.clear,
      },
    )
  })
  // before the server waits for its connections, which streams would keep open
  app.addHook('preClose', async () => {
    await hub.close()
    await relay?.close()
  })
  app.addHook('onClose', async () => {
    watch?.close()
    await changes?.close()
    await context.runs.close()
    await pings.close()
    await door.close()
    keyRing.close()
    await budgets.close()
  })
  return app
}

const createContext = (
  capabilities: AppCapabilities,
  config: AppConfig,
  parts: Pick<AccountContext, 'budgets' | 'runs' | 'onWriteRepeated'>,
): AccountContext => {
  const { sql, accountSql, clickhouse, vault, channelSender, now, log, vantage } = capabilities
  return {
    sql: accountSql,
    clickhouse,
    answers: createExpiringCache({ now, ageMsMax: answerAgeMsMax, entriesMax: answersMax }),
    uptimes: createExpiringCache({ now, ageMsMax: uptimeAgeMsMax, entriesMax: uptimesMax }),
    heartbeatWatch: heartbeatWatchOf(sql),
    targets: targetCountsOf(sql),
    ...parts,
    vault,
    channelSender,
    rules: {
      regions: config.regions,
      tiers: config.tiers,
      targetAllow: config.targetAllow,
      blockedTargets: config.blockedTargets,
      targetRequestsPerMinute: config.targetRequestsPerMinute,
      vantage,
      publicUrl: config.publicUrl,
    },
    now,
    log,
  }
}
