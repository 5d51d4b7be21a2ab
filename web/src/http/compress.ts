import { codingFor, compress, compressedBytesMin } from '@probe-mesh/runtime/compress'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/**
 * Whether the length of an answer may depend on what somebody else had the visitor's browser ask: a
 * page that repeats what is in its address, and holds what is for one reader, is not compressed, since
 * its length would tell of the one by the other (BREACH).
 */
const repeatsWhatWasAsked = (request: FastifyRequest, reply: FastifyReply): boolean => {
  const isForAll = String(reply.getHeader('cache-control')).startsWith('public')
  return !isForAll && (request.method !== 'GET' || request.url.includes('?'))
}

/** Compresses the pages of a scope for who takes it. */
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
    // a strong one says that the bytes are the same (RFC 9110, 8.8.3)
    if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`)
    return compress(payload, coding)
  })
}
