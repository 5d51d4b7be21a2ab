import { constants, brotliCompress, gzip } from 'node:zlib'
import { promisify } from 'node:util'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** All browsers support both; brotli is smaller. */
export type Coding = 'br' | 'gzip'

/** A smaller body fits into the first packet anyway. */
const bytesMin = 1_024

/** Fast enough for every answer: a page of 100 KB takes about a millisecond. */
const quick = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } },
  gzip: { level: 6 },
} as const
/** For content that is compressed once. */
const thorough = {
  br: { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } },
  gzip: { level: 9 },
} as const

const coders = {
  br: promisify<string, object, Buffer>(brotliCompress),
  gzip: promisify<string, object, Buffer>(gzip),
}

/** The coding that a client accepts (RFC 9110, 12.5.3), preferring brotli; null for neither. */
export const codingFor = (acceptEncoding: string | undefined): Coding | null => {
  const taken = new Set<string>()
  for (const part of (acceptEncoding ?? '').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim())
    if (!parameters.some((parameter) => /^q=0(\.0{0,3})?$/.test(parameter))) taken.add(name)
  }
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : null
}

/** Constant text, compressed once in each coding at the best level. */
export const compressOnce = (text: string): ((coding: Coding) => Promise<Buffer>) => {
  const known = new Map<Coding, Promise<Buffer>>()
  return (coding) => {
    const made = known.get(coding) ?? coders[coding](text, thorough[coding])
    known.set(coding, made)
    return made
  }
}

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
    if (coding === null || payload.length < bytesMin) return payload
    reply.header('content-encoding', coding)
    const etag = reply.getHeader('etag')
    // a strong tag promises identical bytes (RFC 9110, 8.8.3)
    if (typeof etag === 'string' && etag.startsWith('"')) reply.header('etag', `W/${etag}`)
    return coders[coding](payload, quick[coding])
  })
}
