import { inWork, reportHeld } from '@probe-mesh/runtime/loop-watch'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

/** Names the work of each request, and reports what held the loop, except runs of checks, which agents report. */
export const nameWork = (
  app: FastifyInstance,
  { registry, log }: { registry: Registry; log: Pick<Logger, 'warn'> },
): void => {
  // for each route: reading the route of a request costs more than naming its work
  app.addHook('onRoute', (route) => {
    const what = `${[route.method].flat().join(',')} ${route.url}`
    const hook = (request: FastifyRequest, _reply: FastifyReply, done: () => void): void =>
      inWork({ kind: 'request', what, owner: null, requestId: request.id }, done)
    route.onRequest = [hook, ...[route.onRequest ?? []].flat()]
  })
  const ignore = reportHeld(
    { registry, log },
    {
      isOwn: (work) => work?.kind !== 'check',
      effect: 'the event loop was held; all other requests waited',
    },
  )
  app.addHook('onClose', async () => ignore())
}
