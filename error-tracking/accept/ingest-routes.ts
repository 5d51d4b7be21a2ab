import { refuse } from '@probe-mesh/contracts/schema/refusal'
import { widestNetworkOf } from '@probe-mesh/contracts/target/network-of'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accepted } from './accept.ts'
import type { ErrorIngest, KeyRefusal } from './error-ingest.ts'
import { rawBytesMax } from './open/unpack.ts'
import { rateLimitsHeader } from './limits.ts'
import { addressOf } from '@probe-mesh/control-plane/src/http/gateway-trust'
import { refusalOfError } from '@probe-mesh/control-plane/src/http/refusal-of-error'

const publicKey = /^[0-9a-f]{32}$/

/**
 * The public key in the query, in `X-Sentry-Auth` or `Authorization` (`Sentry sentry_version=7,
 * sentry_key=...`), or in the DSN of the envelope's header. null without a well-formed key.
 */
const ingestKeyOf = (from: {
  query: unknown
  headers: Readonly<Record<string, string | string[] | undefined>>
  dsn?: string | undefined
}): string | null => {
  const candidates: unknown[] = [
    typeof from.query === 'object' && from.query !== null && 'sentry_key' in from.query
      ? from.query.sentry_key
      : null,
    keyInHeader(from.headers['x-sentry-auth']),
    keyInHeader(from.headers['authorization']),
    from.dsn !== undefined && URL.canParse(from.dsn) ? new URL(from.dsn).username : null,
  ]
  const isKey = (key: unknown): key is string => typeof key === 'string' && publicKey.test(key)
  return candidates.find(isKey) ?? null
}

const keyInHeader = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? (/\bsentry_key=([^,\s]+)/.exec(value)?.[1] ?? null) : null

/** How long browsers cache a preflight. 2 h is the most that Chromium allows. */
const preflightSeconds = 7_200
const retryAfterSeconds = 5

const refusedOff = refuse('SV-3008')

type Kind = 'envelope' | 'store'
/** `ingest` is null while error tracking is off: every event is refused, so that an SDK drops it and goes on. */
type Capabilities = { ingest: ErrorIngest | null; log: Logger }

/**
 * The routes for Sentry's SDKs, which work unchanged: any content type, compressed or not, the key of a DSN,
 * pages of any origin. Separate from the REST API: only the project's own limits apply.
 */
export const bindErrorIngest = (app: FastifyInstance, capabilities: Capabilities): void => {
  const { ingest, log } = capabilities
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: rawBytesMax }, (_, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', allowAnyOrigin)
    scope.setErrorHandler(async (error, request, reply) => {
      const { refusal, ours } = refusalOfError(error)
      if (refusal.status === 413 && ingest !== null) return rejectLarge(ingest, request, reply)
      if (!ours) return sendProblem(reply, refusal.status, refusal.message)
      log.error({ err: error, method: request.method }, 'an error event was not accepted')
      return sendProblem(setRetryAfter(reply), 503, 'temporarily unavailable; retry later')
    })
    for (const kind of ['envelope', 'store'] as const) {
      for (const url of [`/api/:number/${kind}/`, `/api/:number/${kind}`]) {
        scope.options(url, (_request, reply) => reply.code(204).send())
        scope.post(url, { bodyLimit: rawBytesMax }, (request, reply) =>
          ingest === null
            ? sendProblem(reply, refusedOff.status, refusedOff.message)
            : acceptBody(ingest, kind, request, reply),
        )
      }
    }
  })
}

/** Allows requests from pages of any origin. The key in the page is public, and no cookie is used. */
const allowAnyOrigin = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After')
    .header('cross-origin-resource-policy', 'cross-origin')
    .header('cache-control', 'no-store')
  if (request.method === 'OPTIONS') {
    reply
      .header('access-control-allow-methods', 'POST')
      .header(
        'access-control-allow-headers',
        'X-Sentry-Auth, X-Requested-With, Origin, Accept, Content-Type, Content-Encoding, Authentication, Authorization, sentry-trace, baggage',
      )
      .header('access-control-max-age', preflightSeconds)
  }
  done()
}

const acceptBody = async (
  ingest: ErrorIngest,
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  const packed = { body, encoding: request.headers['content-encoding'] }
  const sentKey = ingestKeyOf({ query: request.query, headers: request.headers })
  const network = widestNetworkOf(addressOf(request))
  const dsn = sentKey === null && kind === 'envelope' ? await ingest.dsnOf(packed, network) : undefined
  if (dsn === 'busy') return sendKeyRefusal(reply, 'busy')
  const publicKey = sentKey ?? ingestKeyOf({ query: null, headers: {}, dsn })
  const key = await ingest.findKey(publicKey, numberOf(request))
  if (typeof key === 'string') return sendKeyRefusal(reply, key)
  return sendAccepted(reply, await ingest.accept(key, kind, packed, network))
}

/** Counts a body that Fastify refused as too large, if the request has a key outside the body. */
const rejectLarge = async (
  ingest: ErrorIngest,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const sentKey = ingestKeyOf({ query: request.query, headers: request.headers })
  const key = sentKey === null ? 'missing' : await ingest.findKey(sentKey, numberOf(request))
  const problem = `the body is larger than ${rawBytesMax} bytes`
  if (typeof key === 'string') return sendProblem(reply, 413, problem)
  return sendAccepted(reply, await ingest.rejectBody(key, 'size', problem))
}

const numberOf = (request: FastifyRequest): string => (request.params as { number?: string }).number ?? ''

const sendAccepted = (reply: FastifyReply, accepted: Accepted): FastifyReply => {
  const { status, eventId, limits, problem } = accepted
  if (limits.length > 0) {
    reply
      .header('x-sentry-rate-limits', rateLimitsHeader(limits))
      .header('retry-after', Math.max(...limits.map(({ seconds }) => seconds)))
  } else if (status === 503) setRetryAfter(reply)
  if (status !== 200) return sendProblem(reply, status, problem ?? 'refused')
  return reply.code(200).send(eventId === null ? {} : { id: eventId })
}

const keyRefusals: Readonly<Record<KeyRefusal, [status: number, problem: string]>> = {
  missing: [401, 'missing authorization information: sentry_key'],
  unknown: [403, 'the project does not have this key'],
  revoked: [403, 'this key is revoked'],
  busy: [503, 'temporarily unavailable; retry later'],
}

const sendKeyRefusal = (reply: FastifyReply, refusal: KeyRefusal): FastifyReply => {
  return sendProblem(refusal === 'busy' ? setRetryAfter(reply) : reply, ...keyRefusals[refusal])
}

/** With a bare `Retry-After`, SDKs drop everything, including their client reports. */
const setRetryAfter = (reply: FastifyReply): FastifyReply => {
  const limit = { seconds: retryAfterSeconds, scope: 'project', reason: 'unavailable' } as const
  return reply
    .header('x-sentry-rate-limits', rateLimitsHeader([limit]))
    .header('retry-after', retryAfterSeconds)
}

const sendProblem = (reply: FastifyReply, status: number, problem: string): FastifyReply =>
  reply.code(status).header('x-sentry-error', headerText(problem)).send({ detail: problem })

/** Header values are printable ASCII. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
