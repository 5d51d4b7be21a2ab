import { inWork, reportHeld } from '@probe-mesh/runtime/loop-watch'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

/** Names the work of each request, and reports what held the loop, except runs of checks, which agents report. */
export const nameWork = (
  app: FastifyInstance,
  { registry, log }: { registry: Registry; log: Pick<Logger, 'warn'> },
): void => {
  app.addHook('onRequest', (request, _reply, done) => {
    const what = `${request.method} ${request.routeOptions.url ?? 'unknown path'}`
    inWork({ kind: 'request', what, owner: null, requestId: request.id }, done)
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
