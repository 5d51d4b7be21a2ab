import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { etagOf } from '@probe-mesh/runtime/answer-text'
import type { FastifyReply, FastifyRequest } from 'fastify'

export const jsonType = 'application/json; charset=utf-8'

/** Sends JSON text. */
export const sendJson = (reply: FastifyReply, json: string): FastifyReply =>
  reply.header('content-type', jsonType).send(json)

/** Sends JSON text that the client may keep and must revalidate, or 304 to a client that has it (RFC 9110, 13.1.2). */
export const sendRevalidated = (request: FastifyRequest, reply: FastifyReply, json: string): FastifyReply => {
  const etag = etagOf(json)
  reply.header('etag', etag).header('cache-control', 'private, no-cache').header('vary', 'cookie')
  return matchesEtag(request.headers['if-none-match'], etag) ? reply.code(304).send() : sendJson(reply, json)
}
