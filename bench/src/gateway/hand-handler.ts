import { limits } from '@probe-mesh/contracts/schema/limits'
import { toolLists } from '@probe-mesh/mcp-gateway/tools/tool-list'
import fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { connectUpstream } from './upstream.ts'

type Message = { id: number; method: string; params?: { arguments?: { service?: string } } }

/** The floor: JSON-RPC by hand, two methods, nothing checked, on the same Fastify. */
export const createHandHandler = (options: { apiUrl: string; gatewayKey: string }): FastifyInstance => {
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
