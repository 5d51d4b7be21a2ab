import { matchesEtag } from '@probe-mesh/contracts/schema/if-none-match'
import { codedText, etagOf, type AnswerText } from '@probe-mesh/runtime/answer-text'
import { codingFor, compress, compressedBytesMin, type Coding } from '@probe-mesh/runtime/compress'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OutgoingHttpHeaders } from 'node:http'
import { isFromGateway } from './gateway-trust.ts'
import { jsonType, sendJson } from './send-json.ts'

type Done = (error: Error | null, payload?: unknown) => void

/** Sends a kept answer of a route with `encodeAnswer`, which then neither hashes nor compresses it again. */
export const sendText = (reply: FastifyReply, text: AnswerText): FastifyReply => {
  reply.answerText = text
  return sendJson(reply, text.json)
}

/** Sends a kept answer of a route with `encodeAnswer`, at once where its hooks would change nothing. */
export const sendKept = (reply: FastifyReply, text: AnswerText): FastifyReply =>
  sendsAtOnce(reply, text) ? reply : sendText(reply, text)

/**
 * Writes a kept answer as the hooks `onSend` would leave it, without running them: on a read with status 200 that no
 * gateway asked for, `encodeAnswer` is the only one that does something. A client that names an ETag, and the first
 * one that accepts a coding, need the hook.
 */
const sendsAtOnce = (reply: FastifyReply, text: AnswerText): boolean => {
  const { request, raw } = reply
  const { headers } = request
  if (request.method !== 'GET' || raw.statusCode !== 200 || isFromGateway(request)) return false
  if (headers['if-none-match'] !== undefined) return false
  const coding = codingOf(text.json, headers['accept-encoding'])
  const coded = coding === null ? null : text.coded?.bytes.get(coding)
  if (coded === undefined) return false
  const fields = reply.getHeaders()
  fields['content-type'] = jsonType
  fields.etag = `W/${text.etag}`
  fields['cache-control'] ??= privateAnswer
  fields.vary = 'accept-encoding'
  if (coding !== null) fields['content-encoding'] = coding
  fields['content-length'] = coded === null ? text.length : String(coded.length)
  reply.hijack()
  raw.writeHead(200, fields as OutgoingHttpHeaders)
  raw.end(coded ?? text.json)
  return true
}

const privateAnswer = 'private, no-cache'

const codingOf = (json: string, accepted: string | undefined): Coding | null =>
  json.length < compressedBytesMin ? null : codingFor(accepted)

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
    if (!reply.hasHeader('cache-control')) reply.header('cache-control', privateAnswer)
    if (matchesEtag(request.headers['if-none-match'], etag)) {
      reply.code(304).removeHeader('content-type')
      return done(null, null)
    }
  }
  reply.header('vary', 'accept-encoding')
  const coding = codingOf(payload, request.headers['accept-encoding'])
  if (coding === null) return done(null, payload)
  const compressed = kept === null ? compress(payload, coding) : codedText(kept, coding)
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
