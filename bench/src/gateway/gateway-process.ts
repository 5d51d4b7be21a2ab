// An MCP server in a process of its own: the gateway, a hand-written handler, or the SDK's example.
import { createGateway } from '@probe-mesh/mcp-gateway/gateway'
import { connectControlPlane } from '@probe-mesh/mcp-gateway/upstream/control-plane'
import fastify, { type FastifyInstance } from 'fastify'
import pino from 'pino'
import { Registry } from 'prom-client'
import { answerParent } from '../harness/child.ts'
import { usageOfProcess } from '../harness/usage.ts'
import { limits } from '@probe-mesh/contracts/schema/limits'
import { toolLists } from '@probe-mesh/mcp-gateway/src/tools/tool-list'
import { createMcpFastifyApp } from '@modelcontextprotocol/fastify'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import { argumentOf, toolsOf, type Tool } from '@probe-mesh/contracts/api/tools'
import { z } from 'zod'
import { gatewayClientHeader, gatewayKeyHeader } from '@probe-mesh/contracts/outage/gateway'
import { Pool } from 'undici'

/** Makes the call behind `is_service_down` as cheaply as possible. */
const connectUpstream = (options: {
  apiUrl: string
  gatewayKey: string
}): ((service: string) => Promise<string>) => {
  const { origin, pathname } = new URL(options.apiUrl)
  const pool = new Pool(origin, { connections: 64 })
  const headers = {
    accept: 'application/json',
    [gatewayKeyHeader]: options.gatewayKey,
    [gatewayClientHeader]: '127.0.0.1',
  }
  return async (service) => {
    const path = `${pathname}/public/services/${encodeURIComponent(service)}/status`
    const response = await pool.request({ method: 'GET', path, headers })
    return response.body.text()
  }
}

/**
 * A stateless server as the SDK's documents show it: a new server and transport for every request, with the
 * same 24 tools registered each time, and the same call behind them.
 */
const createExample = (options: { apiUrl: string; gatewayKey: string }): FastifyInstance => {
  const upstream = connectUpstream(options)
  const app = createMcpFastifyApp()
  for (const url of ['/mcp', '/public']) {
    app.post(url, async (request, reply) => {
      const server = new McpServer({ name: 'example', version: '1.0.0' })
      for (const tool of toolsOf.mcp) register(server, tool, upstream)
      const transport = new NodeStreamableHTTPServerTransport({ enableJsonResponse: true })
      await server.connect(transport)
      reply.raw.on('close', () => {
        void transport.close()
        void server.close()
      })
      await transport.handleRequest(request.raw, reply.raw, request.body)
    })
  }
  return app
}

const register = (server: McpServer, tool: Tool, upstream: (service: string) => Promise<string>): void => {
  const { name, title, description, annotations, route } = tool
  const params = Object.entries(route.params?.shape ?? {}).map(([own, schema]) => [
    argumentOf(tool, own),
    schema,
  ])
  const inputSchema = z.object({
    ...(Object.fromEntries(params) as z.ZodRawShape),
    ...route.query?.shape,
    ...(route.body instanceof z.ZodObject ? route.body.shape : {}),
  })
  server.registerTool(name, { title, description, annotations, inputSchema }, async (args) => {
    const text = await upstream(String((args as { service?: unknown }).service))
    return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) as never }
  })
}

type Message = { id: number; method: string; params?: { arguments?: { service?: string } } }

/** The floor: JSON-RPC by hand, two methods, nothing checked, on the same Fastify. */
const createHandHandler = (options: { apiUrl: string; gatewayKey: string }): FastifyInstance => {
  const upstream = connectUpstream(options)
  const list = JSON.stringify({ tools: toolLists.mcp })
  const app = fastify({
    logger: false,
    bodyLimit: limits.requestBodyBytesMax,
    requestIdHeader: false,
  })
  const post = async (body: Message): Promise<string> => {
    if (body.method === 'tools/list') return `{"jsonrpc":"2.0","id":${body.id},"result":${list}}`
    const text = await upstream(body.params?.arguments?.service ?? '')
    const content = `[{"type":"text","text":${JSON.stringify(text)}}]`
    return `{"jsonrpc":"2.0","id":${body.id},"result":{"content":${content},"structuredContent":${text}}}`
  }
  for (const url of ['/mcp', '/public']) {
    app.post<{ Body: Message }>(url, async (request, reply) =>
      reply.header('content-type', 'application/json').send(await post(request.body)),
    )
  }
  return app
}

export type GatewayQuestion = ServerQuestion | { kind: 'usage' }
type ServerQuestion = { kind: 'gateway' | 'hand' | 'example'; apiUrl: string; gatewayKey: string }

const startServer = ({ kind, ...upstream }: ServerQuestion): FastifyInstance => {
  switch (kind) {
    case 'gateway': {
      const hosts = ['127.0.0.1']
      return createGateway(
        {
          controlPlane: connectControlPlane(upstream),
          registry: new Registry(),
          log: pino({ level: 'warn' }),
          now: Date.now,
        },
        { allowedHosts: hosts, allowedOrigins: hosts, trustProxy: false },
      )
    }
    case 'hand':
      return createHandHandler(upstream)
    case 'example':
      return createExample(upstream)
    default:
      return kind satisfies never
  }
}

answerParent<GatewayQuestion>(async (question) =>
  question.kind === 'usage' ? usageOfProcess() : startServer(question).listen({ host: '127.0.0.1', port: 0 }),
)
