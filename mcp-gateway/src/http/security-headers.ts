import { answerHeaders, isHttps } from '@probe-mesh/runtime/security-headers'
import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Gives every answer what browsers should know of it.
 * @param options.url by which the server is reached, over a proxy that ends TLS too
 * @returns the same for an answer without hooks
 */
export const bindSecurityHeaders = (
  app: FastifyInstance,
  { tls, url }: { tls?: object | null | undefined; url: string | null | undefined },
): ((reply: FastifyReply) => FastifyReply) => {
  const always = answerHeaders({ https: (tls ?? null) !== null || isHttps(url ?? null) })
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(always)
    done()
  })
  return (reply) => reply.headers(always)
}
