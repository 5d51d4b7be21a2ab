// A server in a process of its own: the real app on a catalog in memory, or one constant answer.
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import { answersOf } from '@probe-mesh/control-plane/outage/answers/testing'
import { indexCatalog } from '@probe-mesh/control-plane/catalog/catalog-index'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { startReports } from '@probe-mesh/control-plane/outage/reports/reports'
import type { FastifyInstance } from 'fastify'
import { Registry } from 'prom-client'
import { answerParent } from '../child.ts'
import { createBenchApp, createConstant, secretsKey } from '../http-servers.ts'
import { usageOfProcess } from '../usage.ts'
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

/** No run reaches it. */
const keylessPerMinute = 100_000_000
/** As the app's own: a name may be that long. */
const maxParamLength = 16_384

const listen = async (app: FastifyInstance): Promise<number> =>
  Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port)

const startApp = async (question: AnswersQuestion & { kind: 'app' }): Promise<number> => {
  const sql = connectPostgres(question.databaseUrl, { role: 'probe_mesh_system' })
  const bus = await openInProcessBus({ directory: question.folder })
  const catalog = indexCatalog({ services: servicesOf(question.services), stacks: [] })
  const shared = { sql, now: Date.now, log: createLog('warn'), registry: new Registry() }
  const reports = await startReports({ ...shared, events: bus.events, catalog, secretsKey })
  const answers = answersOf({ catalog, reports: reports.book })
  changeReadings(answers)
  const app = createBenchApp(
    question,
    { ...shared, bus, answers, keylessPerMinute },
    { trustProxy: question.addressesAreNamed ? ['127.0.0.1'] : false, gatewayKey },
  )
  return await listen(app)
}

answerParent<AnswersQuestion>(async (question) => {
  switch (question.kind) {
    case 'app':
      return startApp(question)
    case 'constant': {
      const path = '/v1/public/services/:slug/status'
      return listen(createConstant(path, question.body, maxParamLength))
    }
    case 'usage':
      return usageOfProcess()
    default:
      return question satisfies never
  }
})
