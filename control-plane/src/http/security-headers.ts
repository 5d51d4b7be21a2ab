import { answerHeaders, isHttps } from '@probe-mesh/runtime/security-headers'
import type { FastifyInstance, FastifyReply } from 'fastify'

/**
 * Adds the security headers for browsers to every answer, and the id of the request, which log lines name.
 * @param options.url the public URL, which may belong to a proxy that terminates TLS
 * @returns a function that adds them to an answer without hooks
 */
export const bindSecurityHeaders = (
  app: FastifyInstance,
  { tls, url }: { tls?: object | null | undefined; url: string | null | undefined },
): ((reply: FastifyReply) => FastifyReply) => {
  const always = answerHeaders({ https: (tls ?? null) !== null || isHttps(url ?? null) })
  const added = (reply: FastifyReply): FastifyReply =>
    reply.headers(always).header('x-request-id', reply.request.id)
  app.addHook('onRequest', (_request, reply, done) => {
    added(reply)
    done()
  })
  return added
}
