import { createMetrics } from '@probe-mesh/runtime/metrics'
import fastify, { type FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { rateLimits } from '@probe-mesh/contracts/account/rate-limits'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { createPoolMetrics } from '@probe-mesh/runtime/pool-metrics'
import type { Registry } from 'prom-client'
import { followCheckChanges, type CheckChanges } from '../checks/check-changes.ts'
import { startPauseEnds } from '../checks/pause-ends.ts'
import { createKeyAuthenticator } from '../accounts/authenticate-key.ts'
import { createManualRuns } from '../checks/manual-runs.ts'
import { createKeyRateLimiter } from '../accounts/rate-limits/key-rate-limiter.ts'
import { bindErrorIngest, bindSourceMapUpload, createErrorIngest } from '@probe-mesh/error-tracking/feature'
import { createLogin, signUpMode } from '../login/context.ts'
import { describeProbes, bindProbes } from '../mesh/probes.ts'
import { measuresNothing, meshParts } from '../mesh/mesh-notices.ts'
import { startMeshWatch } from '../mesh/mesh-watch.ts'
import { startRelay, type Relay } from '../mesh/relay/relay.ts'
import { startPoolSnapshot } from './pool-snapshot.ts'
import { admitRequests, type AdmitRequest } from '../http/admit-requests.ts'
import { createAdmission } from '../http/admission.ts'
import { createLoopUse } from '@probe-mesh/runtime/loop-use'
import { createContext, type AppCapabilities, type AppConfig, type AppContext } from './app-parts.ts'
import { openPings } from '../heartbeats/open-pings.ts'
import { bindSecretLinks } from './secret-links.ts'
import { bindAnswers } from '../public-answers/answers/answers-routes.ts'
import { boundClose } from '../http/bounded-close.ts'
import { tlsOptions } from '../http/tls-options.ts'
import { bindDashboard } from './dashboard.ts'
import { bindOpenApi } from './openapi-route.ts'
import { createEventHub } from './event-hub.ts'
import { bindDashboardEvents, bindEvents } from './events-route.ts'
import { checkHost } from '../http/host-check.ts'
import { bindHealth } from './health.ts'
import { acceptJsonOnly } from '../http/json-body.ts'
import { bindGatewayAdmission } from './gateway-admission.ts'
import { trustGateways } from '../http/gateway-trust.ts'
import { bindLlms } from './llms.ts'
import { createKeylessBudget } from '../public-answers/answers/keyless-budget.ts'
import { refuseUnknownRoutes } from '../http/known-methods.ts'
import { answerFailures, refusalOfError } from '../http/refusal-of-error.ts'
import { measureRequests } from '../http/request-metrics.ts'
import { createImportReader } from '../imports/import-reader.ts'
import { createLogoEncoder } from '../status-pages/logo/logo-encoder.ts'
import { bindPublicRoutes } from '../status-pages/public/public-routes.ts'
import { queueMetrics, queueOf } from '../http/queue-metrics.ts'
import { listen, type Listening } from '../stores/postgres/listen.ts'
import { createRequestShares } from '../stores/request-shares.ts'
import { bindRelay } from '../mesh/relay/relay-routes.ts'
import { bindRoutes } from './routes.ts'
import { sendRefusal } from '../http/send-refusal.ts'
import { answerHeaders } from '@probe-mesh/runtime/security-headers'
import { createRequestIds } from '@probe-mesh/runtime/request-ids'
import { createSessionRates } from '../login/session-rates.ts'
import { accessLine } from '@probe-mesh/runtime/access-log'
import { nameWork } from '../http/name-work.ts'

/** Decoded. Routes limit their parameters themselves; no accepted request line is longer. */
const paramCharactersMax = 16_384

/** The time for a whole request, including its body, to arrive. */
const requestMsMax = 15_000
/** Longer than the heartbeat of a stream, the longest silence of a healthy connection. */
const connectionIdleMsMax = 60_000
const keepAliveMsMax = 65_000

/** The HTTP server of the control plane, ready to listen. `close` ends its streams and loops. */
export const createApp = (capabilities: AppCapabilities, config: AppConfig): FastifyInstance => {
  const { sql, bus, now, log, registry } = capabilities
  const secure = answerHeaders({ tls: capabilities.tls, url: config.publicUrl })
  const app = fastify({
    logger: false,
    bodyLimit: limits.requestBodyBytesMax,
    connectionTimeout: connectionIdleMsMax,
    requestTimeout: requestMsMax,
    keepAliveTimeout: keepAliveMsMax,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    genReqId: createRequestIds(),
    trustProxy: config.trustProxy,
    exposeHeadRoutes: true,
    return503OnClosing: true,
    frameworkErrors: (error, _request, reply) => sendRefusal(secure(reply), refusalOfError(error).refusal),
    routerOptions: {
      maxParamLength: paramCharactersMax,
      caseSensitive: true,
      ignoreTrailingSlash: false,
    },
    ...tlsOptions(capabilities.tls ?? null),
  })
  const keys = createKeyAuthenticator({ sql, now })
  const { databaseNow, budgetQueryMsMax: queryMsMax, reach } = capabilities
  const scale = config.budgetScale
  const budgets = createKeyRateLimiter({ sql, now, databaseNow, queryMsMax, log, registry, scale })
  const metrics = appMetrics(registry, { streams: () => hub.size() })
  const shares = createRequestShares(capabilities)
  const hub = createEventHub({
    events: bus.events,
    places: shares.eventStreams,
    log,
    onLagging: () => metrics.streamsLagging.inc(),
    recheckMs: capabilities.streamRecheckMs,
  })
  const runs = openManualRuns(capabilities, metrics)
  const pools = createPoolMetrics(registry)
  for (const [name, pool] of Object.entries(runs.pools)) pools.watch(name, pool)
  const onWriteRepeated = (): void => metrics.writesRepeated.inc()
  const [logos, imports] = [createLogoEncoder({ pools }), createImportReader({ pools })]
  let watch = capabilities.meshWatch ?? null
  const isNothingMeasured = (): boolean => measuresNothing(watch?.regions() ?? [], now())
  const parts = { shares, budgets, runs, logos, imports, onWriteRepeated, isNothingMeasured }
  const context = createContext(capabilities, config, parts)
  const gate = { keys, budgets, tiers: config.tiers }

  app.decorateRequest('caller', null)
  app.decorateReply('answerText', null)
  answerFailures(app, log)
  refuseUnknownRoutes(app)
  acceptJsonOnly(app)
  boundClose(app)
  measureRequests(app, registry)
  nameWork(app, { registry, log })
  if (config.accessLog === 'on') logAccess(app, log)
  const trustsGateway = trustGateways(app, { gatewayKey: config.gatewayKey, registry, log, now })
  const probes = { ...capabilities.readiness, error_keys: () => errorIngest?.isReady() ?? true }
  const degradable = { ...capabilities.degradable, ...meshParts(() => watch, now) }
  const { metricsToken = null } = config
  const notesProxy = bindHealth(app, { probes, degradable, reach, registry, metricsToken, log, now })
  const addsHeaders: AdmitRequest = (_request, reply) => secure(reply) === reply
  admitRequests(app, [addsHeaders, trustsGateway, checkHost(config.allowedHosts), notesProxy])
  bindOpenApi(app, config)
  bindLlms(app, config)
  const { requestsUnderWayMax: max, requestFloorPlaces: floorPlaces } = capabilities
  const admission = createAdmission({ registry, max, floorPlaces, isBusy: createLoopUse() })
  bindRoutes(app, context, gate, admission)
  const { marks } = capabilities
  const { publicUrl } = config
  const sendsMail = config.smtpUrl !== null
  const login = createLogin({ sql, now, marks, publicUrl, signUp: signUpMode(config), sendsMail })
  const sessionGate = { login, rates: createSessionRates(now, config.budgetScale) }
  const { vantage, streamLag } = capabilities
  const mesh = { sql, now, vantage, streamLag: streamLag ?? null, watch: () => watch }
  bindProbes(app, () => describeProbes(watch?.regions() ?? [], { ...config, vantage }, now()))
  const incidents = () => capabilities.answers.observed.shared().open
  bindDashboard(app, { account: context, login, mesh, incidents }, sessionGate, admission)
  bindEvents(app, hub, gate)
  bindDashboardEvents(app, hub, sessionGate)
  const perMinute = capabilities.keylessPerMinute ?? rateLimits.keylessPerMinute
  const keyless = { context: capabilities.answers, budget: createKeylessBudget({ now, perMinute }) }
  bindAnswers(app, { ...keyless, gate, admission })
  bindGatewayAdmission(app, { gate, budget: keyless.budget })
  const { tokens } = capabilities
  bindSecretLinks(app, { sql, tokens, rules: context.rules, now })
  bindPublicRoutes(app, {
    sql,
    tokens,
    publicUrl: config.publicUrl,
    blockedTargets: config.blockedTargets,
    sendsMail,
    now,
    registry,
    vantage,
    ...(capabilities.freshen !== undefined && { freshen: capabilities.freshen }),
  })
  const { pings, checkIns } = openPings(app, { sql, log, now })
  queueMetrics(registry, {
    pings: () => pings,
    passwords: () => queueOf(login.hashing.pools.strangers),
    passwords_known: () => queueOf(login.hashing.pools.known),
    new_passwords: () => queueOf(login.estimator.pool),
  })

  const { errorEventsPerSecond: eventsPerSecond, errorScale = scale } = capabilities
  const { tiers } = config
  const rates = { tiers, eventsPerSecond, scale: errorScale }
  const isOn = config.errorTracking !== 'off'
  const errorIngest = isOn
    ? createErrorIngest({ sql, bus, checkIns, ...rates, registry, pools, log, now })
    : null
  bindErrorIngest(app, { ingest: errorIngest, log })
  bindSourceMapUpload(app, context, gate, pools)

  let relay: Relay | null = null
  bindRelay(app, { sql, now, relay: () => relay, streams: shares.relayStreams })

  runPauseEnds(app, capabilities, context)
  const snapshot = startPoolSnapshot({ sql, pools: pools.pools, log })
  let changes: CheckChanges | null = null
  let ended: Listening | null = null
  app.addHook('onReady', async () => {
    await hub.start()
    await errorIngest?.start()
    relay = await startRelay({ ...capabilities, runIds: capabilities.relayRunIds })
    const { presencePace } = capabilities
    watch ??= startMeshWatch({ presence: bus.presence, regions: config.regions, now, log, presencePace })
    // every stream is checked at a pace as well, so a lost notification only delays its end
    ended = await listen(sql, 'sessions_ended', { onNotify: hub.recheck, onConnected: () => {} })
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
  // before the server waits for its connections: streams would keep them open
  app.addHook('preClose', async () => {
    await hub.close()
    await relay?.close()
  })
  app.addHook('onClose', async () => {
    watch?.close()
    await snapshot.close()
    await changes?.close()
    await ended?.close()
    await context.runs.close()
    await pings.close()
    await errorIngest?.close()
    await Promise.all([login.estimator.close(), imports.close(), context.replays.close()])
    keys.close()
    await budgets.close()
  })
  return app
}

/** Resumes checks at the end of their pause while the app is open. */
const runPauseEnds = (app: FastifyInstance, capabilities: AppCapabilities, context: AppContext): void => {
  let ends: ReturnType<typeof startPauseEnds> | null = null
  app.addHook('onReady', async () => {
    ends = startPauseEnds(capabilities, context)
  })
  app.addHook('onClose', async () => ends?.close())
}

const openManualRuns = (
  { bus, sealer, now, log }: AppCapabilities,
  metrics: ReturnType<typeof appMetrics>,
): ReturnType<typeof createManualRuns> =>
  createManualRuns({
    runs: bus.runs,
    sealer,
    now,
    log,
    onDropped: (count) => metrics.firstReadingsDropped.inc(count),
    onUnanswered: (why) => metrics.runsUnanswered.inc({ why }),
  })

/** Metrics of streams, retries and drops of the HTTP server. */
const appMetrics = (registry: Registry, sizes: { streams(): number }) => {
  const metric = createMetrics(registry)
  metric.readGauge('http_event_streams', 'Open event streams', sizes.streams)
  return {
    streamsLagging: metric.counter(
      'http_event_streams_lagging_total',
      'Event streams closed because the client lagged too far behind',
    ),
    writesRepeated: metric.counter(
      'account_writes_repeated_total',
      'Writes of accounts retried after a conflict with a concurrent transaction',
    ),
    firstReadingsDropped: metric.counter(
      'http_first_readings_dropped_total',
      'First readings of new checks skipped because too many runs were in progress',
    ),
    runsUnanswered: metric.counter(
      'http_runs_unanswered_total',
      'Regions without a reading in a manual run, by why: busy, no_agent, timeout, refused, failed',
      'why',
    ),
  }
}

const logAccess = (app: FastifyInstance, log: Logger): void => {
  const access = log.child({}, { level: 'info' })
  app.addHook('onResponse', (request, reply, done) => {
    const accountId = request.caller?.accountId ?? null
    access.info({ ...accessLine({ request, reply }), accountId }, 'request')
    done()
  })
}
