import { hash } from 'node:crypto'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { refuse } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** The type of a public document, and how long it may be cached. */
export type PublicFormat = { type: string; maxAgeSeconds: number }

/** Sends a public document, or 304 to a client that has it (RFC 9110, 13.1.2). */
export const sendDocument = (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, maxAgeSeconds }: PublicFormat,
  body: string,
): FastifyReply => {
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 22)}"`
  allowAnyOrigin(reply).header('etag', etag).header('cache-control', `public, max-age=${maxAgeSeconds}`)
  if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  return reply.header('content-type', type).send(body)
}

/** For a slug that no page has, or something that the page does not have. */
export const refuseUnknownPage = refuse('SV-3001', {
  message: 'There is no status page at this address, or nothing of it here.',
})

export const allowAnyOrigin = (reply: FastifyReply): FastifyReply =>
  reply.header('access-control-allow-origin', '*')
