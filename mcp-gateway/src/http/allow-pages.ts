import type { FastifyInstance } from 'fastify'

/** How long a browser may cache the preflight: the longest time that any browser allows. */
const preflightSeconds = 7_200
/** What a client of the protocol sends, for a browser that does not say. */
const headersDefault = 'Authorization, Content-Type, MCP-Protocol-Version'

/**
 * Lets pages call the endpoints from a browser (CORS). Bind it after the check of `Origin`, which has refused pages
 * of other hosts. Keys are sent as a header, so cookies are not allowed.
 */
export const allowPages = (scope: FastifyInstance, urls: readonly string[]): void => {
  scope.addHook('onRequest', (request, reply, done) => {
    const { origin } = request.headers
    reply.header('vary', 'origin')
    if (origin !== undefined) {
      reply
        .header('access-control-allow-origin', origin)
        .header('access-control-expose-headers', 'Retry-After, WWW-Authenticate, X-Request-Id')
    }
    done()
  })
  for (const url of urls) {
    scope.options(url, (request, reply) => {
      const asked = request.headers['access-control-request-headers']
      return reply
        .code(204)
        .header('allow', 'POST')
        .header('access-control-allow-methods', 'POST')
        .header('access-control-allow-headers', asked ?? headersDefault)
        .header('access-control-max-age', preflightSeconds)
        .send()
    })
  }
}
