import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'

/**
 * Logs each answered request, whatever LOG_LEVEL is. Never the path, a query, a header or an address, which may
 * contain secrets and personal data: the id of the request is what its client received as `X-Request-Id`.
 */
export const logAccess = (app: FastifyInstance, log: Logger): void => {
  const access = log.child({}, { level: 'info' })
  app.addHook('onResponse', (request, reply, done) => {
    access.info(
      {
        requestId: request.id,
        method: request.method,
        route: request.is404 ? null : (request.routeOptions.url ?? null),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
        accountId: request.caller?.accountId ?? null,
      },
      'request',
    )
    done()
  })
}
