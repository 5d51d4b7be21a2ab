import { parseAllowList } from '@probe-mesh/contracts/target/address'
import { denyNothing } from '@probe-mesh/contracts/target/deny-list'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { regionsDefault } from '@probe-mesh/contracts/reading/regions'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { createApp } from '@probe-mesh/control-plane/app/app'
import type { AppCapabilities, AppConfig } from '@probe-mesh/control-plane/app/app-parts'
import { createMarks } from '@probe-mesh/control-plane/login/marks'
import { createRunIds } from '@probe-mesh/control-plane/mesh/relay/run-ids'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { createChannelSender } from '@probe-mesh/control-plane/notifications/channels/channel-sender'
import { createResolver } from '@probe-mesh/control-plane/notifications/outgoing/resolve'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { createVault } from '@probe-mesh/control-plane/notifications/channels/vault'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/subscribers/subscriber-tokens'
import { localHosts } from '@probe-mesh/runtime/allowed-hosts'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'

export const secretsKey = 'the secrets key of the bench, 32 characters'

/** The highest that `BUDGET_SCALE` takes: no run reaches the budget. */
const budgetScale = 100_000

/** The real app, with what a bench cares about given. */
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
      channelSender: createChannelSender({
        rules,
        resolver: createResolver(),
        vault,
        now: Date.now,
      }),
      sql: connectPostgres(stores.databaseUrl, { role: 'probe_mesh_system' }),
      accountSql: connectPostgres(stores.databaseUrl, { role: 'probe_mesh_account' }),
      clickhouse: connectClickHouse(stores.clickhouseUrl),
      tokens: createUnsubscribeTokens('the key of a benchmark'),
      marks: createMarks('the key of a benchmark'),
      relayRunIds: createRunIds('the key of a benchmark'),
      now: Date.now,
      log: createLog('warn'),
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

/** Fastify with the app's own options and one route that answers a constant: nothing of the app. */
export const createConstant = (
  path: string,
  body: string,
  maxParamLength: number,
): FastifyInstance => {
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
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  return app
}
