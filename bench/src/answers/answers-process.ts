// A server in a process of its own: the real app on a catalog in memory, or one constant answer.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { parseAllowList } from '@probe-mesh/contracts/address'
import { limits } from '@probe-mesh/contracts/limits'
import { regionsDefault } from '@probe-mesh/contracts/regions'
import { tiersDefault } from '@probe-mesh/contracts/tiers'
import { answersOf } from '@probe-mesh/control-plane/answers/testing'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { connectClickHouse } from '@probe-mesh/control-plane/clickhouse/connect'
import { createApp } from '@probe-mesh/control-plane/http/app'
import { createLog } from '@probe-mesh/control-plane/log'
import { createChannelSender } from '@probe-mesh/control-plane/outgoing/channel-sender'
import { createResolver } from '@probe-mesh/control-plane/outgoing/resolve'
import { connectPostgres } from '@probe-mesh/control-plane/postgres/connect'
import { startReports } from '@probe-mesh/control-plane/reports/reports'
import { createVault } from '@probe-mesh/control-plane/secrets/vault'
import { createUnsubscribeTokens } from '@probe-mesh/control-plane/subscribers/subscriber-tokens'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { answerParent } from '../child.ts'
import { changeReadings } from './change-readings.ts'
import { gatewayKey } from './gateway-key.ts'
import { servicesOf } from './names.ts'

export type AnswersQuestion =
  | {
      kind: 'app'
      databaseUrl: string
      clickhouseUrl: string
      folder: string
      services: number
      /** The load comes from one address; those who report name theirs, each another. */
      addressesAreNamed: boolean
    }
  | { kind: 'constant'; body: string }
  | { kind: 'usage' }

/** Of the whole process since its start. */
export type Usage = { cpuSeconds: number; atSeconds: number }

const secretsKey = 'the secrets key of the bench, 32 characters'
/** No run reaches it. */
const keylessPerMinute = 100_000_000

const listen = async (app: FastifyInstance): Promise<number> =>
  Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)

const startApp = async (question: AnswersQuestion & { kind: 'app' }): Promise<number> => {
  const allow = parseAllowList([])
  if (!allow.ok) throw new Error('an empty allow list is right')
  const vault = createVault(secretsKey)
  const sql = connectPostgres(question.databaseUrl, { role: 'probe_mesh_system' })
  const bus = await openInProcessBus({ directory: question.folder })
  const catalog = indexCatalog({ services: servicesOf(question.services), stacks: [] })
  const shared = { sql, now: Date.now, log: createLog('warn'), registry: new Registry() }
  const reports = await startReports({ ...shared, events: bus.events, catalog, secretsKey })
  const answers = answersOf({ catalog, reports: reports.book })
  changeReadings(answers)
  const app = createApp(
    {
      ...shared,
      answers,
      keylessPerMinute,
      vault,
      channelSender: createChannelSender({
        allow: allow.allow,
        resolver: createResolver(),
        vault,
        now: Date.now,
      }),
      accountSql: connectPostgres(question.databaseUrl, { role: 'probe_mesh_account' }),
      clickhouse: connectClickHouse(question.clickhouseUrl),
      bus,
      tokens: createUnsubscribeTokens('the key of a benchmark'),
      readiness: {},
      vantage: 'local',
    },
    {
      regions: regionsDefault,
      tiers: tiersDefault,
      targetAllow: allow.allow,
      trustProxy: question.addressesAreNamed ? ['127.0.0.1'] : false,
      budgetScale: 100_000,
      gatewayKey,
      publicUrl: 'http://127.0.0.1:8080',
      mcpUrl: null,
    },
  )
  return await listen(app)
}

/** The app's own options and the route's own path, and nothing of the app. */
const startConstant = (body: string): Promise<number> => {
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
    routerOptions: { maxParamLength: 16_384, caseSensitive: true, ignoreTrailingSlash: false },
  })
  app.get('/v1/public/services/:slug/status', (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8').send(body)
  })
  return listen(app)
}

answerParent<AnswersQuestion>(async (question) => {
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
