import { parseForeignJson } from '@probe-mesh/contracts/schema/foreign-json'
import { refuse, toProblem } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyError, FastifyReply, FastifyInstance } from 'fastify'
import { errorAnswer } from '../protocol/json-rpc.ts'
import type { HttpAnswer } from '../protocol/json-rpc.ts'

/** Sends an answer as it is. */
export const send = (reply: FastifyReply, { status, body, headers }: HttpAnswer): FastifyReply => {
  reply.code(status)
  for (const [name, value] of Object.entries(headers ?? {})) reply.header(name, value)
  if (body === null) return reply.send()
  if (!reply.hasHeader('content-type')) reply.header('content-type', 'application/json')
  return reply.send(body)
}

/** @returns null for what is a bug of ours */
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

export const ourFault = errorAnswer(500, {
  code: -32_603,
  message: 'Something failed on our side. It is logged; try again.',
})

/** A path or a method of which there is none: the endpoints are `POST /public` and `POST /mcp`. */
export const nothingHere: HttpAnswer = {
  status: 404,
  body: JSON.stringify(
    toProblem(
      refuse('SV-3001', { message: 'There is nothing here. Send POST to /mcp or /public.' }),
    ),
  ),
  headers: {
    'content-type': 'application/problem+json; charset=utf-8',
    'cache-control': 'no-store',
  },
}

/** A body that is no JSON: a protocol error, not Fastify's. */
class NotJson extends Error {}

/** Takes application/json and nothing else. */
export const parseJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, text, done) => {
    let body: unknown
    try {
      body = parseForeignJson(String(text))
    } catch {
      return done(new NotJson())
    }
    done(null, body)
  })
}
