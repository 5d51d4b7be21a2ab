import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** How long a browser may cache the preflight: the longest time that any browser allows. */
const preflightSeconds = 7_200

/** Lets pages of every origin read public answers. There are no cookies or keys to misuse. */
export const allowAnyOrigin = (_request: FastifyRequest, reply: FastifyReply, done: () => void): void => {
  reply.header('access-control-allow-origin', '*')
  reply.header(
    'access-control-expose-headers',
    'ETag, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id',
  )
  done()
}

/** Answers the preflight that a browser sends before it posts JSON to another origin. It spends no budget. */
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
