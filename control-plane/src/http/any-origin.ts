import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long a browser may remember that it may ask; none remembers for longer. */
const preflightSeconds = 7_200

/** Lets pages of every origin read what anybody may: there is no cookie and no key to be misused. */
export const openToAll = (
  _request: FastifyRequest,
  reply: FastifyReply,
  done: () => void,
): void => {
  reply.header('access-control-allow-origin', '*')
  reply.header('access-control-expose-headers', 'RateLimit, RateLimit-Policy, Retry-After')
  done()
}

/** The question that a browser asks before it posts JSON to another origin. It costs no budget. */
export const bindPreflight = (app: FastifyInstance, url: string): void => {
  app.options(url, (_request, reply) => {
    reply
      .code(204)
      .header('access-control-allow-origin', '*')
      .header('access-control-allow-methods', 'GET, HEAD, POST')
      .header('access-control-allow-headers', 'Content-Type')
      .header('access-control-max-age', preflightSeconds)
      .send()
  })
}
