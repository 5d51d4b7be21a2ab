// A server in a process of its own: the real app that accepts error events, or a server that only reads,
// decompresses and parses a body.
import { createServer, type IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { openInProcessBus } from '@probe-mesh/bus/in-process/in-process-bus'
import type { StreamConsumer } from '@probe-mesh/bus/port'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { tiersDefault } from '@probe-mesh/contracts/account/tiers'
import { answersOf } from '@probe-mesh/control-plane/src/public-answers/answers/testing'
import { createBenchApp } from '../harness/bench-app.ts'
import { answerParent } from '../harness/child.ts'
import { usageOfProcess } from '../harness/usage.ts'

export type ErrorServerQuestion =
  | { kind: 'app'; databaseUrl: string; clickhouseUrl: string; folder: string }
  | { kind: 'floor' }
  | { kind: 'usage' }

const loopback = { host: '127.0.0.1', port: 0 }
const unpack = promisify<Uint8Array, Buffer>(gunzip)
/** More than any run sends. */
const errorEventsPerMonth = 1_000_000_000
const errorEventsPerSecond = 1_000_000_000

const serveApp = async ({ folder, ...databases }: ErrorServerQuestion & { kind: 'app' }): Promise<string> => {
  const bus = await openInProcessBus({ directory: folder })
  const { free, growth, scale } = tiersDefault
  const tiers = {
    free: { ...free, errorEventsPerMonth },
    growth: { ...growth, errorEventsPerMonth },
    scale: { ...scale, errorEventsPerMonth },
  }
  // one account sends what many accounts do
  const given = { bus, answers: answersOf(), errorEventsPerSecond, errorScale: 1_000_000 }
  const app = createBenchApp(databases, given, { tiers })
  for (let partition = 0; partition < limits.errorPartitions; partition++) {
    void drop(await bus.errors.consume(partition, 'persist'))
  }
  return app.listen(loopback)
}

/** Fetches and drops accepted events. The stream has room for some seconds of them only. */
const drop = async (consumer: StreamConsumer): Promise<void> => {
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

/** Reads, decompresses and parses the lines of a body: the least that any server does. */
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

answerParent<ErrorServerQuestion>(async (question) => {
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
