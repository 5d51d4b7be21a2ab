import { widestNetworkOf } from '@probe-mesh/contracts/target/network-of'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Accepted } from './accept.ts'
import type { ErrorDoor, Stranger } from './error-door.ts'
import { rawBytesMax } from './open/unpack.ts'
import { rateLimitsHeader } from './limits.ts'
import { addressOf } from '../../http/gateway-trust.ts'
import { refusalOfError } from '../../http/refusal-of-error.ts'

const publicKey = /^[0-9a-f]{32}$/

/**
 * The public key by which an SDK reports: of the query, of `X-Sentry-Auth` or `Authorization`
 * (`Sentry sentry_version=7, sentry_key=...`), or of the DSN in the envelope's header. Null where none of
 * them has the form of one. Pure.
 */
const ingestKeyOf = (from: {
  query: unknown
  headers: Readonly<Record<string, string | string[] | undefined>>
  dsn?: string | undefined
}): string | null => {
  const asked: unknown[] = [
    typeof from.query === 'object' && from.query !== null && 'sentry_key' in from.query
      ? from.query.sentry_key
      : null,
    keyInHeader(from.headers['x-sentry-auth']),
    keyInHeader(from.headers['authorization']),
    from.dsn !== undefined && URL.canParse(from.dsn) ? new URL(from.dsn).username : null,
  ]
  const isKey = (key: unknown): key is string => typeof key === 'string' && publicKey.test(key)
  return asked.find(isKey) ?? null
}

const keyInHeader = (value: string | string[] | undefined): string | null =>
  typeof value === 'string' ? (/\bsentry_key=([^,\s]+)/.exec(value)?.[1] ?? null) : null

/** How long a browser may remember that it may ask; none remembers for longer. */
const preflightSeconds = 7_200
const retryAfterSeconds = 5

type Kind = 'envelope' | 'store'
type Capabilities = { door: ErrorDoor; log: Logger }

/**
 * What Sentry's SDKs report to, so that existing ones work unchanged: any content type, packed or not,
 * the key of a DSN, pages of any origin. Beside the REST API: no budget but the project's own.
 */
export const bindErrorIngest = (app: FastifyInstance, capabilities: Capabilities): void => {
  const { door, log } = capabilities
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: rawBytesMax }, (_, body, done) =>
      done(null, body),
    )
    scope.addHook('onRequest', openToPages)
    scope.setErrorHandler(async (error, request, reply) => {
      const { refusal, ours } = refusalOfError(error)
      if (refusal.status === 413) return refuseLarge(door, request, reply)
      if (!ours) return sendProblem(reply, refusal.status, refusal.message)
      log.error({ err: error, method: request.method }, 'an error event was not accepted')
      return sendProblem(askToWait(reply), 503, 'temporarily unavailable; retry later')
    })
    for (const kind of ['envelope', 'store'] as const) {
      for (const url of [`/api/:number/${kind}/`, `/api/:number/${kind}`]) {
        scope.options(url, (_request, reply) => reply.code(204).send())
        scope.post(url, { bodyLimit: rawBytesMax }, (request, reply) => takeBody(door, kind, request, reply))
      }
    }
  })
}

/** Anybody who has the page has the key in it; there is no cookie to be misused. */
const openToPages = (request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
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

const takeBody = async (
  door: ErrorDoor,
  kind: Kind,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const body = request.body instanceof Uint8Array ? request.body : new Uint8Array()
  const packed = { body, encoding: request.headers['content-encoding'] }
  const said = ingestKeyOf({ query: request.query, headers: request.headers })
  const network = widestNetworkOf(addressOf(request))
  const inside = said === null && kind === 'envelope' ? await door.dsnOf(packed, network) : undefined
  if (inside === 'busy') return sendStranger(reply, 'busy')
  const publicKey = said ?? ingestKeyOf({ query: null, headers: {}, dsn: inside })
  const key = await door.admit(publicKey, numberOf(request))
  if (typeof key === 'string') return sendStranger(reply, key)
  return sendAccepted(reply, await door.take(key, kind, packed, network))
}

/** A body that Fastify did not take: where the request says whose it is, it is counted. */
const refuseLarge = async (
  door: ErrorDoor,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> => {
  const said = ingestKeyOf({ query: request.query, headers: request.headers })
  const key = said === null ? 'missing' : await door.admit(said, numberOf(request))
  const problem = `the body is larger than ${rawBytesMax} bytes`
  if (typeof key === 'string') return sendProblem(reply, 413, problem)
  return sendAccepted(reply, await door.refuse(key, 'size', problem))
}

const numberOf = (request: FastifyRequest): string => (request.params as { number?: string }).number ?? ''

const sendAccepted = (reply: FastifyReply, accepted: Accepted): FastifyReply => {
  const { status, eventId, limits, problem } = accepted
  if (limits.length > 0) {
    reply
      .header('x-sentry-rate-limits', rateLimitsHeader(limits))
      .header('retry-after', Math.max(...limits.map(({ seconds }) => seconds)))
  } else if (status === 503) askToWait(reply)
  if (status !== 200) return sendProblem(reply, status, problem ?? 'refused')
  return reply.code(200).send(eventId === null ? {} : { id: eventId })
}

const strangers: Readonly<Record<Stranger, [status: number, problem: string]>> = {
  missing: [401, 'missing authorization information: sentry_key'],
  unknown: [403, 'the project does not have this key'],
  revoked: [403, 'this key is revoked'],
  busy: [503, 'temporarily unavailable; retry later'],
}

const sendStranger = (reply: FastifyReply, stranger: Stranger): FastifyReply => {
  return sendProblem(stranger === 'busy' ? askToWait(reply) : reply, ...strangers[stranger])
}

/** A bare `Retry-After` makes SDKs drop everything, their reports of what they dropped included. */
const askToWait = (reply: FastifyReply): FastifyReply => {
  const limit = { seconds: retryAfterSeconds, scope: 'project', reason: 'unavailable' } as const
  return reply
    .header('x-sentry-rate-limits', rateLimitsHeader([limit]))
    .header('retry-after', retryAfterSeconds)
}

const sendProblem = (reply: FastifyReply, status: number, problem: string): FastifyReply =>
  reply.code(status).header('x-sentry-error', headerText(problem)).send({ detail: problem })

/** A header takes printable ASCII only. */
const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
