import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Logger } from '@probe-mesh/bus/logger'
import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import type { Registry } from 'prom-client'

/** Connections at once, and how long a request may take, ms: nobody who asks may hold the agent up. */
const connectionsMax = 64
const requestMsMax = 5_000
const closeMsMax = 1_000

/** Whether an agent can work. It can without the bus, whose absence is shown all the same. */
export type AgentReadiness = {
  notReady: readonly string[]
  bus: 'connected' | 'away'
  /** What the operator has to look at, in sentences; absent or empty: nothing that is known of. */
  problems?: readonly string[]
}

type Page = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

export type Health = {
  /** `http://host:port`, with the port that was taken where 0 was asked for. */
  readonly url: string
  close(): Promise<void>
}

/**
 * `/healthz`: the process lives. `/readyz`: it can work. `/metrics`: what it counts.
 * @throws Error when the address cannot be listened on
 */
export const startHealth = async (capabilities: {
  host: string
  port: number
  readiness: () => AgentReadiness
  registry: Registry
  /** What readers of `/metrics` send; null: it answers this machine only. */
  metricsToken: string | null
  now: () => number
  log: Logger
}): Promise<Health> => {
  const { host, port, readiness, registry, metricsToken, now, log } = capabilities
  const metrics = createMetricsPage({ registry, token: metricsToken, now })
  const pages: Readonly<Record<string, Page>> = {
    '/healthz': (response) => sendJson(response, 200, { alive: true }),
    '/readyz': (response) => {
      const { notReady, bus, problems = [] } = readiness()
      const ready = notReady.length === 0
      const told = problems.length === 0 ? {} : { problems }
      sendJson(response, ready ? 200 : 503, { ready, notReady, bus, ...told })
    },
    '/metrics': async (response, { socket, headers }) => {
      const answer = await metrics({ remoteAddress: socket.remoteAddress, headers })
      response.writeHead(answer.status, answer.headers).end(answer.body)
    },
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const page = Object.hasOwn(pages, path) ? pages[path] : undefined
    if (page === undefined) return sendJson(response, 404, { error: 'not_found' })
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('allow', 'GET, HEAD')
      return sendJson(response, 405, { error: 'method_not_allowed' })
    }
    await page(response, request)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'a question about health was not answered')
      response.destroy()
    })
  })
  server.maxConnections = connectionsMax
  server.requestTimeout = requestMsMax
  server.headersTimeout = requestMsMax
  server.listen(port, host)
  await once(server, 'listening')

  return {
    url: urlOf(server.address(), host),
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeIdleConnections()
      setTimeout(() => server.closeAllConnections(), closeMsMax).unref()
      await closed
    },
  }
}

const sendJson = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const urlOf = (address: ReturnType<ReturnType<typeof createServer>['address']>, host: string) => {
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
