import type { Endpoint } from '@probe-mesh/contracts/api/tools'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { answerPost, type ExchangeContext } from '../protocol/exchange.ts'
import { errorAnswer, refusalAnswer, refusedOf } from '../protocol/json-rpc.ts'
import { send } from './errors.ts'
import type { GatewayMetrics } from './metrics.ts'

const noKey = refusalAnswer(refusedOf(refuse('SV-1001')), null)
const onlyPost = errorAnswer(405, {
  code: -32_600,
  message: 'Send POST: this endpoint has no stream.',
})

/** `POST /public` and `POST /mcp`; every other method is a 405, since there is nothing to stream. */
export const bindEndpoints = (
  app: FastifyInstance,
  context: ExchangeContext,
  metrics: GatewayMetrics,
): void => {
  for (const endpoint of ['public', 'mcp'] as const) {
    app.route({
      method: 'POST',
      url: `/${endpoint}`,
      onRequest: (request, reply, done) => {
        if (endpoint === 'mcp' && bearerOf(request) === null) send(reply, noKey)
        else done()
      },
      handler: async (request, reply) =>
        send(reply, await answerPost(context, endpoint, postOf(endpoint, request))),
      onResponse: (_request, reply, done) => {
        metrics.answered(endpoint, reply.statusCode, reply.elapsedTime / 1000)
        done()
      },
    })
    app.route({
      method: ['GET', 'HEAD', 'DELETE', 'PUT', 'PATCH'],
      url: `/${endpoint}`,
      exposeHeadRoute: false,
      handler: (_request, reply) => send(reply.header('allow', 'POST'), onlyPost),
    })
  }
}

const postOf = (endpoint: Endpoint, request: FastifyRequest) => ({
  headers: request.headers,
  body: request.body,
  // the public endpoint ignores keys
  caller: { authorization: endpoint === 'mcp' ? bearerOf(request) : null, address: request.ip },
})

/** The `Authorization` header when it has a bearer token (RFC 6750 2.1). */
const bearerOf = ({ headers: { authorization } }: FastifyRequest): string | null =>
  authorization !== undefined && /^bearer +\S/i.test(authorization) ? authorization : null
