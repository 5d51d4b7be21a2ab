import { oneOf, withDefault } from './setting.ts'

/** `ACCESS_LOG` of programs that answer requests. */
export const accessLogSetting = withDefault(
  oneOf('on', 'off'),
  'off',
  '`on`: one log line for each request, with its id, route, status, duration and account.',
)

/** A request and its reply, as Fastify has them. */
type Answered = {
  request: { id: string; method: string; is404: boolean; routeOptions: { url?: string | undefined } }
  reply: { statusCode: number; elapsedTime: number }
}

/**
 * The log line of an answered request. Never the path, a query, a header or an address, which may contain secrets
 * and personal data: the id is what its client received as `X-Request-Id`.
 */
export const accessLine = ({ request, reply }: Answered): object => ({
  requestId: request.id,
  method: request.method,
  route: request.is404 ? null : (request.routeOptions.url ?? null),
  status: reply.statusCode,
  ms: Math.round(reply.elapsedTime),
})
