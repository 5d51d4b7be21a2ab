import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { refuse, toProblem, type RefusalCode } from '@probe-mesh/contracts/schema/refusal'
import pino from 'pino'
import { Registry } from 'prom-client'
import { createGateway } from './gateway.ts'
import { connectControlPlane } from './upstream/control-plane.ts'

export const gatewayKey = 'the gateway key of a test, 32 characters'

/** The control plane's answer in a test; undefined: 200 with an empty list. */
type Upstream = (request: IncomingMessage, body: string) => UpstreamAnswer | undefined
type UpstreamAnswer = {
  status: number
  body?: string
  headers?: Record<string, string>
}

export const problemAnswer = (code: RefusalCode, headers: Record<string, string> = {}): UpstreamAnswer => {
  const refusal = refuse(code)
  return { status: refusal.status, body: JSON.stringify(toProblem(refusal)), headers }
}

/** A real gateway in front of a control plane with answers of a test, over real HTTP. */
export const startTestGateway = async (
  config: {
    allowedHosts?: string[]
    allowedOrigins?: string[]
    trustProxy?: string[]
    metricsToken?: string
    accessLog?: 'on'
  } = {},
) => {
  const seen: { line: string; headers: IncomingMessage['headers']; body: string }[] = []
  let answer: Upstream = () => undefined
  const listener: RequestListener = async (request, response) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const line = `${request.method} ${request.url}`
    seen.push({ line, headers: request.headers, body })
    const admission: UpstreamAnswer | undefined =
      line === 'POST /v1/gateway/admission' ? { status: 204 } : undefined
    const said: UpstreamAnswer = answer(request, body) ?? admission ?? { status: 200, body: '{"checks":[]}' }
    response.writeHead(said.status, { 'content-type': 'application/json', ...said.headers })
    response.end(said.body)
  }
  const upstream = createServer(listener).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const { port } = upstream.address() as AddressInfo
  const controlPlane = connectControlPlane({ apiUrl: `http://127.0.0.1:${port}/v1`, gatewayKey })
  const logged: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) })
  const registry = new Registry()
  const app = createGateway(
    { controlPlane, registry, log, now: Date.now },
    {
      allowedHosts: config.allowedHosts ?? ['127.0.0.1', 'localhost'],
      allowedOrigins: config.allowedOrigins ?? ['127.0.0.1', 'localhost'],
      trustProxy: config.trustProxy ?? false,
      metricsToken: config.metricsToken ?? null,
      accessLog: config.accessLog ?? 'off',
    },
  )
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  return {
    url,
    seen,
    logged,
    registry,
    answerWith: (next: Upstream) => {
      answer = next
    },
    post: async (path: string, body: unknown, headers: Record<string, string> = {}) => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: {
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
      const text = await response.text()
      const json = text === '' ? null : (JSON.parse(text) as Record<string, never>)
      return { status: response.status, headers: response.headers, text, json }
    },
    close: async () => {
      await app.close()
      await controlPlane.close()
      upstream.closeAllConnections()
      upstream.close()
    },
  }
}
