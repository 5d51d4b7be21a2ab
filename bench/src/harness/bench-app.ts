import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { createApp } from '@probe-mesh/control-plane/src/app/app'
import type { AppCapabilities, AppConfig } from '@probe-mesh/control-plane/src/app/app-parts'
import { withRequestMemo } from '@probe-mesh/control-plane/http/request-memo'
import { createDeviceMarks } from '@probe-mesh/control-plane/src/login/device-marks'
import { createRunIds } from '@probe-mesh/control-plane/src/mesh/relay/run-ids'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { createChannelSender } from '@probe-mesh/control-plane/src/notifications/channels/channel-sender'
import { createResolver } from '@probe-mesh/control-plane/src/notifications/outgoing/resolve'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { sealsNothing } from '@probe-mesh/control-plane/src/secrets/testing'
import { createVault } from '@probe-mesh/control-plane/src/secrets/vault'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/src/accounts/link-tokens'
import { localHosts } from '@probe-mesh/runtime/allowed-hosts'
import { createWeb } from '@probe-mesh/web/web'
import fastify, { type FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'

/** The key of the gateways in front of the app. */
export const gatewayKey = 'the-gateway-key-of-the-bench-and-no-secret'

const secretsKey = 'the secrets key of the bench, 32 characters'

/** The highest `BUDGET_SCALE`: no run reaches the rate limit. */
const budgetScale = 100_000

/** The real app, with the parts that a bench chooses. */
export const createBenchApp = (
  stores: { databaseUrl: string; clickhouseUrl: string },
  given: Pick<AppCapabilities, 'bus' | 'answers'> & Partial<AppCapabilities>,
  config: Partial<AppConfig> = {},
): FastifyInstance => {
  const allow = parseAllowList([])
  if (!allow.ok) throw new Error('an empty allow list is right')
  const vault = createVault(secretsKey)
  const rules = { targetAllow: allow.allow, channelAllow: null, blockedTargets: denyNothing }
  return createApp(
    {
      vault,
      sealer: sealsNothing,
      channelSender: createChannelSender({
        rules,
        resolver: createResolver(),
        vault,
        now: Date.now,
      }),
      sql: connectPostgres(stores.databaseUrl, { role: 'probe_mesh_system' }),
      accountSql: connectPostgres(stores.databaseUrl, { role: 'probe_mesh_account' }),
      clickhouse: connectClickHouse(stores.clickhouseUrl),
      tokens: createUnsubscribeTokens('the key of the bench'),
      marks: createDeviceMarks('the key of the bench'),
      relayRunIds: createRunIds('the key of the bench'),
      now: Date.now,
      // no agent runs, so that every new check would log a warning
      log: createLog('error'),
      registry: new Registry(),
      readiness: {},
      vantage: 'local',
      ...given,
    },
    {
      regions: regionsDefault,
      tiers: tiersDefault,
      ...rules,
      targetRequestsPerMinute: 1_000_000_000,
      contactUrl: null,
      trustProxy: false,
      budgetScale,
      gatewayKey: null,
      publicUrl: 'http://127.0.0.1:8080',
      allowedHosts: localHosts,
      mcpUrl: null,
      signUp: 'closed',
      smtpUrl: null,
      ...config,
    },
  )
}

/** Adds the pages that people read, as `npm start` does. */
export const addPages = async (app: FastifyInstance): Promise<void> => {
  const inject = app.inject.bind(app)
  await app.register(
    createWeb({
      inject: (request) => inject(request),
      withRequestMemo,
      apiUrl: 'http://127.0.0.1/v1',
      mcpUrl: null,
    }),
  )
}

/** Fastify with the app's own options and one route with a constant response: nothing of the app. */
export const createConstant = ({
  path,
  body,
  type,
  maxParamLength,
}: {
  path: string
  body: string
  type: string
  maxParamLength: number
}): FastifyInstance => {
  const app = fastify({
    logger: false,
    bodyLimit: limits.requestBodyBytesMax,
    connectionTimeout: 60_000,
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    trustProxy: false,
    exposeHeadRoutes: true,
    return503OnClosing: true,
    routerOptions: { maxParamLength, caseSensitive: true, ignoreTrailingSlash: false },
  })
  app.get(path, (_request, reply) => {
    reply.header('content-type', type).send(body)
  })
  return app
}
