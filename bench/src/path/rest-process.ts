// A server in a process of its own: the real app, or Fastify with one constant answer.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { parseAllowList } from '@probe-mesh/contracts/address'
import { limits } from '@probe-mesh/contracts/limits'
import { regionsDefault } from '@probe-mesh/contracts/regions'
import { tiersDefault } from '@probe-mesh/contracts/tiers'
import { answersOf } from '@probe-mesh/control-plane/answers/testing'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { createApp } from '@probe-mesh/control-plane/http/app'
import { createLog } from '@probe-mesh/control-plane/log'
import { createChannelSender } from '@probe-mesh/control-plane/outgoing/channel-sender'
import { createResolver } from '@probe-mesh/control-plane/outgoing/resolve'
import { createVault } from '@probe-mesh/control-plane/secrets/vault'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/subscribers/subscriber-tokens'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { answerParent } from '../child.ts'

export type RestQuestion =
  | { kind: 'app'; databaseUrl: string; clickhouseUrl: string; folder: string }
  | { kind: 'constant'; body: string }
  | { kind: 'usage' }

/** Of the whole process since its start. */
export type Usage = { cpuSeconds: number; atSeconds: number }

/** The highest that `BUDGET_SCALE` takes: no run reaches the budget. */
const budgetScale = 100_000

const listen = (app: FastifyInstance): Promise<string> => app.listen({ host: '127.0.0.1', port: 0 })

const startApp = async (question: RestQuestion & { kind: 'app' }): Promise<string> => {
  const allow = parseAllowList([])
  if (!allow.ok) throw new Error('an empty allow list is right')
  const guard = { allow: allow.allow, resolver: createResolver() }
  const vault = createVault('the secrets key of the bench, 32 characters')
  const app = createApp(
    {
      vault,
      channelSender: createChannelSender({ ...guard, vault, now: Date.now }),
      sql: connectPostgres(question.databaseUrl, { role: 'probe_mesh_system' }),
      accountSql: connectPostgres(question.databaseUrl, { role: 'probe_mesh_account' }),
      clickhouse: connectClickHouse(question.clickhouseUrl),
      bus: await openInProcessBus({ directory: question.folder }),
      answers: answersOf(),
      tokens: createUnsubscribeTokens('the key of a benchmark'),
      now: Date.now,
      log: createLog('warn'),
      registry: new Registry(),
      readiness: {},
      vantage: 'local',
    },
    {
      regions: regionsDefault,
      tiers: tiersDefault,
      targetAllow: allow.allow,
      trustProxy: false,
      budgetScale,
      gatewayKey: null,
      publicUrl: 'http://127.0.0.1:8080',
      mcpUrl: null,
    },
  )
  return await listen(app)
}

/** The app's own options, and nothing of the app. */
const startConstant = (body: string): Promise<string> => {
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
    routerOptions: { maxParamLength: 100, caseSensitive: true, ignoreTrailingSlash: false },
  })
  app.get('/v1/checks/:id', (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  return listen(app)
}

answerParent<RestQuestion>(async (question) => {
  switch (question.kind) {
    case 'app':
      return startApp(question)
    case 'constant':
      return startConstant(question.body)
    case 'usage': {
      const { user, system } = process.cpuUsage()
      const usage: Usage = {
        cpuSeconds: (user + system) / 1_000_000,
        atSeconds: performance.now() / 1_000,
      }
      return usage
    }
    default:
      return question satisfies never
  }
})
