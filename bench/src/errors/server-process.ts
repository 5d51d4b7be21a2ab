// A server in a process of its own: the door of error tracking within the real app with its pages, with
// or without the persister behind it; or what only reads, unpacks and parses a body.
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { StreamConsumer } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { answersOf } from '@probe-mesh/control-plane/outage/answers/testing'
import { connectClickHouse } from '@probe-mesh/control-plane/stores/clickhouse/connect'
import { startErrorPersister } from '@probe-mesh/control-plane/error-tracking/persist/persister'
import { oneVisit } from '@probe-mesh/control-plane/http/one-visit'
import { createLog } from '@probe-mesh/control-plane/app/log'
import { connectPostgres } from '@probe-mesh/control-plane/stores/postgres/connect'
import { takeTestLeases as takeLeases } from '@probe-mesh/control-plane/stores/postgres/testing'
import { createWeb } from '@probe-mesh/web/web'
import { Registry } from 'prom-client'
import { answerParent } from '../child.ts'
import { createBenchApp } from '../http-servers.ts'
import { usageOfProcess } from '../usage.ts'

export type ServerQuestion =
  | {
      kind: 'app'
      databaseUrl: string
      clickhouseUrl: string
      folder: string
      persists: boolean
      /** Of one project. */
      eventsPerSecond: number
      /** Of every tier. */
      eventsPerMonth: number
    }
  | { kind: 'floor' }
  | { kind: 'usage' }

const loopback = { host: '127.0.0.1', port: 0 }
const unpack = promisify<Uint8Array, Buffer>(gunzip)

const serveApp = async (question: ServerQuestion & { kind: 'app' }): Promise<string> => {
  const { databaseUrl, clickhouseUrl, folder, persists, eventsPerSecond, eventsPerMonth } = question
  const bus = await openInProcessBus({ directory: folder })
  const [free, growth, scale] = [tiersDefault.free, tiersDefault.growth, tiersDefault.scale].map(
    (tier) => ({ ...tier, errorEventsPerMonth: eventsPerMonth }),
  ) as [typeof tiersDefault.free, typeof tiersDefault.free, typeof tiersDefault.free]
  const tiers = { free, growth, scale }
  const given = {
    bus,
    answers: answersOf(),
    errorEventsPerSecond: eventsPerSecond,
    // a bench is one account that sends what many do
    errorScale: 1_000_000,
    keylessPerMinute: 1_000_000,
  }
  const app = createBenchApp({ databaseUrl, clickhouseUrl }, given, { tiers })
  const inject = app.inject.bind(app)
  await app.register(
    createWeb({
      inject: (request) => inject(request),
      oneVisit,
      apiUrl: 'http://127.0.0.1/v1',
      mcpUrl: null,
    }),
  )
  if (persists) {
    const sql = connectPostgres(databaseUrl, { role: 'probe_mesh_system' })
    const persister = startErrorPersister({
      sql,
      clickhouse: connectClickHouse(clickhouseUrl),
      bus,
      tiers,
      registry: new Registry(),
      log: createLog('warn'),
      now: Date.now,
    })
    for (const lease of await takeLeases(sql)) persister.take(lease)
  } else {
    for (let partition = 0; partition < limits.errorPartitions; partition++) {
      void takeOff(await bus.errors.consume(partition, 'persist'))
    }
  }
  return app.listen(loopback)
}

/** Takes what was accepted off the stream, which has room for some seconds of it only, and drops it. */
const takeOff = async (consumer: StreamConsumer): Promise<void> => {
  const { signal } = new AbortController()
  for (;;) {
    const messages = await consumer.fetch({
      messagesMax: 500,
      bytesMax: 4 * 1024 * 1024,
      waitMs: 1_000,
      signal,
    })
    const last = messages.at(-1)
    if (last !== undefined) await consumer.acknowledge(last.sequence)
  }
}

/** Reads, unpacks and parses the lines of a body, and answers: less no server can do. */
const serveFloor = async (): Promise<string> => {
  const server = createServer((request, response) => {
    void readBody(request).then(async (packed) => {
      const lines = (await unpack(packed)).toString().split('\n')
      const parsed = lines.flatMap((line) => (line === '' ? [] : [JSON.parse(line) as unknown]))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ id: parsed.length }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, loopback.host, resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://${loopback.host}:${address.port}`
}

const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

answerParent<ServerQuestion>(async (question) => {
  switch (question.kind) {
    case 'app':
      return serveApp(question)
    case 'floor':
      return serveFloor()
    case 'usage':
      return usageOfProcess()
    default:
      return question satisfies never
  }
})
