import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyError, FastifyReply, FastifyInstance } from 'fastify'
import { errorAnswer, internalError, type HttpAnswer } from '../protocol/json-rpc.ts'

/** Sends an answer unchanged. */
export const send = (reply: FastifyReply, { status, body, headers }: HttpAnswer): FastifyReply => {
  reply.code(status)
  for (const [name, value] of Object.entries(headers ?? {})) reply.header(name, value)
  if (body === null) return reply.send()
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json')
  return reply.send(body)
}

/** @returns null for a bug of the gateway */
export const answerOfError = (error: unknown): HttpAnswer | null => {
  if (error instanceof NotJson) {
    return errorAnswer(400, { code: -32_700, message: 'The body is not JSON.' })
  }
  const { statusCode = 500, code } = error as Partial<FastifyError>
  if (statusCode === 413) {
    return errorAnswer(413, { code: -32_600, message: 'The request is too large.' })
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'FST_ERR_CTP_EMPTY_TYPE') {
    return errorAnswer(415, { code: -32_600, message: 'Send Content-Type: application/json.' })
  }
  if (statusCode >= 400 && statusCode < 500) {
    return errorAnswer(statusCode, { code: -32_600, message: 'The request is not valid HTTP.' })
  }
  return null
}

export const ourFault = errorAnswer(500, internalError)

/** An unknown path or method: the endpoints are `POST /public` and `POST /mcp`. */
export const nothingHere: HttpAnswer = {
  status: 404,
  body: JSON.stringify(toProblem(refuse('SV-3001', { message: 'Not found. Send POST to /mcp or /public.' }))),
  headers: {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
  },
}

/** The body is not JSON: an error of the protocol, not Fastify's. */
class NotJson extends Error {}

const packed = {
  ...errorAnswer(415, { code: -32_600, message: 'Send the body as it is, without Content-Encoding.' }),
  headers: { 'accept-encoding': 'identity' },
}

/** A body that is compressed is refused (RFC 9110 15.5.16): it would be read as broken JSON. */
export const refusePacked = (app: FastifyInstance): void => {
  app.addHook('onRequest', (request, reply, done) => {
    const { 'content-encoding': coding = '' } = request.headers
    if (coding === '' || coding.toLowerCase() === 'identity') done()
    else send(reply, packed)
  })
}

/** Accepts only application/json. */
export const parseJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  // bytes: text would hide what is not UTF-8, and keep a byte order mark
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, bytes, done) => {
    let body: unknown
    try {
      body = parseForeignJson(Buffer.from(bytes))
    } catch {
      return done(new NotJson())
    }
    done(null, body)
  })
}
