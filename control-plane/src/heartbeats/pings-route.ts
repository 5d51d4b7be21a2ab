import type { RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { pingBodyBytesMax } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { widestNetworkOf } from '@probe-mesh/contracts/target/network-of'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { PingAnswer, PingQueue } from './ping-queue.ts'
import { pingText } from './ping-text.ts'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { readPingCall } from './ping-call.ts'
import { refusalOfError } from '../http/refusal-of-error.ts'

/** A longer body is cut; one that is far longer is no message and is not taken from the wire. */
const transportBytesMax = 100 * 1024
const recordMsMax = 10_000

type Capabilities = { queue: PingQueue; rate: RateLimiter; log: Logger; now: () => number }

/**
 * The ping API of healthchecks.io, so that its clients work unchanged: plain text, any method they
 * use, any content type, no key but the secret in the path. Beside the REST API: no budget, no tier.
 */
export const bindPings = (app: FastifyInstance, capabilities: Capabilities): void => {
  const { log } = capabilities
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: transportBytesMax },
      (_request, body, done) => done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => {
      const { refusal, ours } = refusalOfError(error)
      if (ours) log.error({ err: error, method: request.method }, 'a ping was not recorded')
      if (refusal.status === 413) return sendText(reply, 413, 'body too large')
      if (!ours) return sendText(reply, refusal.status, 'bad request')
      return sendText(reply.header('retry-after', 5), refusal.status, 'try again')
    })
    for (const url of ['/ping/:key', '/ping/:key/:action']) {
      scope.route({
        method: ['GET', 'HEAD', 'POST'],
        url,
        bodyLimit: transportBytesMax,
        exposeHeadRoute: false,
        handler: (request, reply) => takePing(capabilities, request, reply),
      })
    }
  })
}

const takePing = async (
  { queue, rate, now }: Capabilities,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const { key = '', action } = request.params as { key?: string; action?: string }
  const { rid } = request.query as { rid?: unknown }
  const call = readPingCall({ key, action, rid })
  if (!call.ok) return sendText(reply, call.status, call.text)
  const { pingKey, kind, exitCode } = call
  if (rate.take(pingKey) > 0) {
    return sendText(reply.header('retry-after', 1), 429, 'rate limited')
  }
  const message = request.body instanceof Uint8Array ? pingText(request.body) : null
  const ping = { pingKey, kind, rid: call.rid, exitCode, message, atMs: now() }
  return answer(
    reply,
    await withDeadline(queue.take(ping, widestNetworkOf(request.ip)), recordMsMax),
  )
}

const answer = (reply: FastifyReply, recorded: PingAnswer): FastifyReply => {
  switch (recorded) {
    case 'recorded':
      return sendText(reply.header('ping-body-limit', pingBodyBytesMax), 200, 'OK')
    case 'unknown':
      return sendText(reply, 404, 'not found')
    case 'full':
      return sendText(reply.header('retry-after', 1), 503, 'try again')
    default:
      return recorded satisfies never
  }
}

const sendText = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply
    .code(status)
    .header('content-type', 'text/plain; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('access-control-allow-origin', '*')
    .send(text)
