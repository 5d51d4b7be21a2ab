import { hash } from 'node:crypto'
import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { codingFor, compress, compressedBytesMin } from '@probe-mesh/runtime/compress'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFromGateway } from './gateway-trust.ts'

type Done = (error: Error | null, payload?: unknown) => void

/**
 * Gives an answer in JSON its ETag, answers 304 to a client that has it (RFC 9110 13.1.2), and compresses it
 * for clients that accept that. A hook `onSend` of routes whose callers send a key or nothing: an answer for
 * the cookie of a browser could be guessed from its length (BREACH). Gateways want neither.
 */
export const encodeAnswer = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
  done: Done,
): void | Promise<Buffer> => {
  if (typeof payload !== 'string' || isFromGateway(request)) return done(null, payload)
  if (isRead(request) && reply.statusCode === 200) {
    // weak: each coding has its own bytes (RFC 9110 8.8.3)
    const etag = `W/"${hash('sha256', payload, 'base64url').slice(0, 22)}"`
    reply.header('etag', etag)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    if (matchesEtag(request.headers['if-none-match'], etag.slice(2))) {
      reply.code(304).removeHeader('content-type')
      return done(null, null)
    }
  }
  reply.header('vary', 'accept-encoding')
  const coding = payload.length < compressedBytesMin ? null : codingFor(request.headers['accept-encoding'])
  if (coding === null) return done(null, payload)
  reply.header('content-encoding', coding)
  return compress(payload, coding)
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'
