import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { etagOf, type AnswerText } from '@probe-mesh/runtime/answer-text'
import { codingFor, compress, compressedBytesMin, inCoding } from '@probe-mesh/runtime/compress'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isFromGateway } from './gateway-trust.ts'
import { sendJson } from './send-json.ts'

type Done = (error: Error | null, payload?: unknown) => void

/** Sends a kept answer of a route with `encodeAnswer`, which then neither hashes nor compresses it again. */
export const sendText = (reply: FastifyReply, text: AnswerText): FastifyReply => {
  reply.answerText = text
  return sendJson(reply, text.json)
}

declare module 'fastify' {
  interface FastifyReply {
    /** The answer, if it is kept. */
    answerText: AnswerText | null
  }
}

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
): void | Promise<Buffer | string> => {
  if (typeof payload !== 'string' || isFromGateway(request)) return done(null, payload)
  // not for what another hook made of it, or for the refusal after one failed
  const kept = reply.answerText?.json === payload ? reply.answerText : null
  if (isRead(request) && reply.statusCode === 200) {
    // weak: each coding has its own bytes (RFC 9110 8.8.3)
    const etag = kept?.etag ?? etagOf(payload)
    reply.header('etag', `W/${etag}`)
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', 'private, no-cache')
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      reply.code(304).removeHeader('content-type')
      return done(null, null)
    }
  }
  reply.header('vary', 'accept-encoding')
  const coding = payload.length < compressedBytesMin ? null : codingFor(request.headers['accept-encoding'])
  if (coding === null) return done(null, payload)
  const compressed =
    kept === null ? compress(payload, coding) : inCoding(kept.coded, coding, () => compress(payload, coding))
  return compressed.then(
    (bytes) => {
      reply.header('content-encoding', coding)
      return bytes
    },
    // zlib had no memory for it
    () => payload,
  )
}

const isRead = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD'
