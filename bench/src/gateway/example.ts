import { createMcpFastifyApp } from '@modelcontextprotocol/fastify'
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node'
import { McpServer } from '@modelcontextprotocol/server'
import { argumentOf, toolsOf } from '@probe-mesh/contracts/api/tools'
import type { Tool } from '@probe-mesh/contracts/api/tools'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { connectUpstream } from './upstream.ts'

/**
 * A stateless server as the SDK's documents show it: a new server and transport for every request, with the
 * same 24 tools registered each time, and the same call behind them.
 */
export const createExample = (options: { apiUrl: string; gatewayKey: string }): FastifyInstance => {
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
