import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** One test of every request, before its route. @returns whether the request may go to the next; otherwise it is answered */
export type AdmitRequest = (request: FastifyRequest, reply: FastifyReply) => boolean

/** Runs tests of every request in this order, in one hook: each hook costs as much as a test. */
export const admitRequests = (app: FastifyInstance, tests: readonly AdmitRequest[]): void => {
  app.addHook('onRequest', (request, reply, done) => {
    for (const admits of tests) if (!admits(request, reply)) return
    done()
  })
}
