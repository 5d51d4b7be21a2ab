import { codingFor, compress, compressedBytesMin } from '@probe-mesh/runtime/compress'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Whether the length of an answer could leak data to another site (BREACH): a page that repeats its query and
 * contains data of one reader is not compressed.
 */
const repeatsWhatWasAsked = (request: FastifyRequest, reply: FastifyReply): boolean => {
  const isForAll = String(reply.getHeader('cache-control')).startsWith('public')
  return !isForAll && (request.method !== 'GET' || request.url.includes('?'))
}

/** Compresses the pages of a scope for clients that accept it. */
export const compressPages = (scope: FastifyInstance): void => {
  scope.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string') return payload
    const type = String(reply.getHeader('content-type'))
    if (!/^text\/(html|markdown|css|plain)/.test(type)) return payload
    if (repeatsWhatWasAsked(request, reply)) return payload
    reply.header('vary', 'accept-encoding')
    const coding = codingFor(request.headers['accept-encoding'])
    if (coding === null || payload.length < compressedBytesMin) return payload
    reply.header('content-encoding', coding)
    const etag = reply.getHeader('etag')
    // a strong tag promises identical bytes (RFC 9110, 8.8.3)
    if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`)
    return compress(payload, coding)
  })
}
