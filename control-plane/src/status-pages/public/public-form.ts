import { hash } from 'node:crypto'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** How a public document is said: its type, and how long others may keep it. */
export type PublicForm = { type: string; maxAgeSeconds: number }

/** A document for everybody, not sent again to who has it (RFC 9110, 13.1.2). */
export const sendForm = (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, maxAgeSeconds }: PublicForm,
  body: string,
): FastifyReply => {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  openToAll(reply).header('etag', etag).header('cache-control', `public, max-age=${maxAgeSeconds}`)
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', type).send(body)
}

export const openToAll = (reply: FastifyReply): FastifyReply =>
  reply.header('access-control-allow-origin', '*')
