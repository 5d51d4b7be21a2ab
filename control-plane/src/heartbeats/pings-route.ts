import { pingBodyBytesMax } from '@probe-mesh/contracts/heartbeat/heartbeat'
import { widestNetworkOf } from '@probe-mesh/contracts/target/network-of'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { PingAnswer, PingQueue } from './ping-queue.ts'
import type { RateLimiter } from '@probe-mesh/runtime/rate-limiter'
import { withDeadline } from '@probe-mesh/runtime/deadline'
import { refusalOfError } from '../http/refusal-of-error.ts'
import { Uuid } from '@probe-mesh/contracts/schema/ids'
import type { Ping } from './ping.ts'

/** A longer body is cut; one beyond this is refused unread. */
const transportBytesMax = 100 * 1024
const recordMsMax = 10_000

type Capabilities = { queue: PingQueue; rate: RateLimiter; log: Logger; now: () => number }

/**
 * The ping API of healthchecks.io, so that its clients work unchanged: plain text, any of their methods, any
 * content type, and no key but the secret in the path. Outside the REST API: no rate limit by account, no
 * plan.
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
      if (ours) log.error({ err: error, method: request.method }, 'recording a ping failed')
      if (refusal.status === 413) return sendText(reply, 413, 'body too large')
      if (!ours) return sendText(reply, refusal.status, 'bad request')
      return sendText(reply.header('retry-after', 5), refusal.status, 'try again')
    })
    for (const url of ['/ping/:key', '/ping/:key/:action', '/ping/:key/:action/:last']) {
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
  const { key = '', action, last } = request.params as Record<'key' | 'action' | 'last', string | undefined>
  const { rid } = request.query as { rid?: unknown }
  // a key without a slug is no heartbeat
  const isSlug = accountKey.test(key)
  const pinged = isSlug ? `${key}/${action ?? ''}` : key
  const call = readPingCall({
    key: pinged,
    action: isSlug ? last : action,
    rid,
    rest: isSlug ? undefined : last,
  })
  if (!call.ok) return sendText(reply, call.status, call.text)
  const { pingKey, kind, exitCode } = call
  if (rate.take(pingKey) > 0) {
    return sendText(reply.header('retry-after', 1), 429, 'rate limited')
  }
  const message = request.body instanceof Uint8Array ? pingText(request.body) : null
  const ping = { pingKey, kind, rid: call.rid, exitCode, message, atMs: now() }
  return answer(reply, await withDeadline(queue.take(ping, widestNetworkOf(request.ip)), recordMsMax))
}

const answer = (reply: FastifyReply, recorded: PingAnswer): FastifyReply => {
  switch (recorded) {
    case 'recorded':
      return sendText(reply.header('ping-body-limit', pingBodyBytesMax), 200, 'OK')
    case 'unknown':
      return sendText(reply, 404, 'not found')
    case 'ambiguous':
      return sendText(reply, 409, 'ambiguous slug')
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

/** A parsed call of the ping API, or the immediate answer to a bad one. */
type PingCall =
  | { ok: true; pingKey: string; kind: Ping['kind']; rid: string | null; exitCode: number | null }
  | { ok: false; status: 400 | 404; text: string }

/** The ping key of an account, and the name of a heartbeat by it. */
const accountKey = /^[0-9a-f]{32}$/
const named = /^[0-9a-f]{32}\/[a-z0-9_-]{1,50}$/

const notFound = { ok: false, status: 404, text: 'not found' } as const

/**
 * Reads `/ping/<uuid>` or `/ping/<ping key>/<slug>`, then `[/start|/fail|/log|/<exit code>][?rid=<uuid>]`, as
 * healthchecks.io does: unknown query parameters are ignored, exit code 0 is a success and any other up to 255 a failure.
 */
const readPingCall = (call: {
  key: string
  action: string | undefined
  rid: unknown
  rest: string | undefined
}): PingCall => {
  const uuid = Uuid.safeParse(call.key)
  const pingKey = named.test(call.key) ? call.key : uuid.data
  if (pingKey === undefined || call.rest !== undefined) return notFound
  const action = readAction(call.action)
  if (!action.ok) return action
  if (call.rid === undefined) return { ...action, pingKey, rid: null }
  const rid = Uuid.safeParse(call.rid)
  if (!rid.success) return { ok: false, status: 400, text: 'invalid uuid format' }
  return { ...action, pingKey, rid: rid.data }
}

type Action = { ok: true; kind: Ping['kind']; exitCode: number | null } | Extract<PingCall, { ok: false }>

const readAction = (action: string | undefined): Action => {
  switch (action) {
    case undefined:
      return { ok: true, kind: 'success', exitCode: null }
    case 'start':
    case 'fail':
    case 'log':
      return { ok: true, kind: action, exitCode: null }
    default: {
      if (!/^-?\d+$/.test(action)) return notFound
      const exitCode = Number(action)
      return /^\d{1,3}$/.test(action) && exitCode <= 255
        ? { ok: true, kind: exitCode === 0 ? 'success' : 'fail', exitCode }
        : { ok: false, status: 400, text: 'invalid exit code' }
    }
  }
}

/**
 * A ping's body as text for storage: the first 10 KB, without a divided character, with U+FFFD for invalid
 * UTF-8 and without NUL (which Postgres cannot store). null if nothing is left.
 */
const pingText = (body: Uint8Array): string | null => {
  const kept = body.subarray(0, pingBodyBytesMax)
  // in stream mode, a character that the cut divides is left out
  const text = new TextDecoder('utf-8', { ignoreBOM: false }).decode(kept, {
    stream: body.length > kept.length,
  })
  const clean = text.replaceAll('\0', '')
  return clean === '' ? null : clean
}
