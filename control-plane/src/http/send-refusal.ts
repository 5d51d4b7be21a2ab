import { toProblem, type Refusal } from '@probe-mesh/contracts/schema/refusal'
import type { FastifyReply } from 'fastify'

/** Sends a refusal as problem+json (RFC 9457), with the headers that clients act on. */
export const sendRefusal = (reply: FastifyReply, refusal: Refusal): FastifyReply => {
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer realm="probe-mesh"')
  if (refusal.retryAfterSeconds !== undefined) {
    reply.header('retry-after', refusal.retryAfterSeconds)
  }
  return reply
    .code(refusal.status)
    .header('content-type', 'application/problem+json; charset=utf-8')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(toProblem(refusal)))
}
