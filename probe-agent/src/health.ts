import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Logger } from '@probe-mesh/bus/logger'
import { createMetricsPage } from '@probe-mesh/runtime/metrics-page'
import type { Registry } from 'prom-client'

/** Limits of connections and of request time, ms, so that no client can block the agent. */
const connectionsMax = 64
const requestMsMax = 5_000
const closeMsMax = 1_000

/** Whether an agent can work. It can without the bus, but shows that it is unavailable. */
export type AgentReadiness = {
  notReady: readonly string[]
  bus: 'connected' | 'away'
  /** Problems for the operator, in sentences; absent or empty: none known. */
  problems?: readonly string[]
}

type Page = (response: ServerResponse, request: IncomingMessage) => void | Promise<void>

export type Health = {
  /** `http://host:port`, with the port that the system chose when 0 was given. */
  readonly url: string
  close(): Promise<void>
}

/**
 * `/healthz`: the process is alive. `/readyz`: it can work. `/metrics`: its metrics.
 * @throws Error when it cannot listen on the address
 */
export const startHealth = async (capabilities: {
  host: string
  port: number
  readiness: () => AgentReadiness
  registry: Registry
  /** Bearer token for `/metrics`; null: only this machine may read. */
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
      const shown = problems.length === 0 ? {} : { problems }
      sendJson(response, ready ? 200 : 503, { ready, notReady, bus, ...shown })
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
      log.error({ err: error }, 'answering a health request failed')
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
