import { Problem } from '@probe-mesh/contracts/refusal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { answerPagePolicy } from '../answer-pages/frame.ts'
import { refusalPage } from '../answer-pages/missing-pages.ts'

/**
 * A hook for `onSend`: where people read pages, a problem is a page too, whoever sent it (the
 * budget, the error handler, a route). Its status and the other header fields stay as they are.
 */
export const problemsAsPages = async (
  _request: FastifyRequest,
  reply: FastifyReply,
  payload: unknown,
): Promise<unknown> => {
  const type = reply.getHeader('content-type')
  if (typeof payload !== 'string' || !String(type).startsWith('application/problem+json')) {
    return payload
  }
  const { title, message, errors } = Problem.parse(JSON.parse(payload))
  const retryAfter = reply.getHeader('retry-after')
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', answerPagePolicy)
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .removeHeader('content-length')
  return refusalPage(title, message, [
    ...errors.map((error) => `${error.path}: ${error.message}`),
    ...(retryAfter === undefined ? [] : [`Try again in ${String(retryAfter)} seconds.`]),
  ])
}
